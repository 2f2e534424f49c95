# make demo     a sample site on loopback, without configuration or database server
# make test     all tests, beside a private MariaDB that .ci/mariadb starts; RACE=-race
# make golden   replays recorded requests of real sites against the daemon
# make golden-diff   wpsitemapd diff against the recorded sitemaps of real sites
# make bench    benchmarks
# make fleet    300 sites on one MariaDB: memory, processor time, connections and queries at rest
# make fuzz     every fuzz target for FUZZTIME
# make lint     gofmt, go vet, staticcheck
# make build    ./wpsitemapd

GO       ?= go
RACE     ?=
FUZZTIME ?= 10s
BENCH    ?= .

# The recorded sites are not part of this repository.
GOLDEN_DIR ?= ../shared/golden
GOLDEN     ?= basic dated catprefix authorid noslash plain pathinfo large cpt private disabled \
              noindexables ties newschool elderly adminseen woo sqlite sqlite-old multisub multidom news video \
              polylang polylang-code polylang-domains
COMPAT     ?= plugin

.PHONY: demo test golden golden-diff bench fleet fuzz lint build

demo:
	$(GO) run . demo

build:
	$(GO) build -trimpath -o wpsitemapd .

test:
	.ci/mariadb $(GO) test $(RACE) -timeout 5m ./...

golden: build
	.ci/mariadb sh -c 'exec python3 "$$0" --bin ./wpsitemapd --db-socket "$$WPSITEMAPD_TEST_SOCKET" --compat "$$@"' \
		$(GOLDEN_DIR)/replay $(COMPAT) $(addprefix $(GOLDEN_DIR)/,$(GOLDEN))

# Of disabled no sitemap is recorded, only that WordPress has its own.
golden-diff:
	GOLDEN_DIR=$(abspath $(GOLDEN_DIR)) GOLDEN="$(filter-out disabled,$(GOLDEN))" .ci/mariadb \
		$(GO) test -run '^(TestDiffGolden|TestRecordedSitemapsOfOthers)$$' -count 1 ./server/command ./server/live

bench:
	.ci/mariadb $(GO) test -run '^$$' -bench '$(BENCH)' -benchmem ./...

fleet:
	.ci/mariadb $(GO) test -run '^TestFleet$$' -count 1 -v ./server

fuzz:
	GO=$(GO) .ci/fuzz $(FUZZTIME)

lint:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...
