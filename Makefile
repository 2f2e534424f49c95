# make demo     a sample site on loopback, without configuration or database server
# make test     all tests, beside a private MariaDB that .ci/mariadb starts; RACE=-race PACKAGES=./server/...
# make quick    what needs no server but SQLite, in less than a minute from a warm cache: for every change
# make golden   replays recorded requests of real sites against the daemon
# make golden-explain   wpsitemapd explain for the addresses and objects of real sites: for each of few, for some of many
# make golden-addons   news and videos without add-ons, of real sites
# make golden-diff   wpsitemapd diff against the recorded sitemaps of real sites
# make versions WORDPRESS="CHECKOUT …" PLUGINS="CHECKOUT …"   compares versions that are on this machine, prints the table of docs/operator/support.md
# make compare WORDPRESS=CHECKOUT PLUGINS="CHECKOUT …" POSTS=20000 FILES=50000   the same site by PHP with the plugin, by nginx with
#               a cache, by wpsitemapd; no more than FILES sitemaps are crawled. WOOCOMMERCE=CHECKOUT: the posts are products
# make bench    measures against a bare loop and a bare handler, prints the table of docs/developer/benchmarks.md
# make bench-go Go benchmarks with allocations, for benchstat; BENCH=pattern COUNT=10
# make big      100,000 terms, 1,000,000 users, 40 posts of 16 MB: memory, time and rows examined
# make fleet    FLEET_SITES=300 on one MariaDB: memory, processor time, connections and queries at rest
# make thousands  one network of BLOGS=10000 blogs, INSTALLS=2000 with an account each: first answers, cost at rest, edits, memory
# make faults   breaks what the daemon stands on, one thing after the other, prints the table of docs/developer/faults.md; FAULTS=pattern
# make load     LOAD_SITES=50 sites are edited and asked for LOAD_RATE=2000 sitemaps a second, for LOAD_TIME=10m
# make engines  the tests and recorded sites on MySQL 9.7, MariaDB 11.8 and Valkey 9, and the table of docs/operator/database.md
# make fuzz     every fuzz target for FUZZTIME, JOBS=4 at a time
# make lint     gofmt, go vet, staticcheck
# make vuln     known vulnerabilities in what is linked; asks vuln.go.dev
# make build    ./wpsitemapd
# make release  dist: static binaries, packages, checksums, what is in them; VERSION= TARGETS="linux/amd64"; publishes nothing.
#               KEY=, a secret key of gpg: signed repositories for apt and dnf, in REPOSITORY=dist/repository
# make packages installs, updates, removes and purges the packages of this machine's kind, in a small Debian of its own, also from
#               a repository by apt and dnf; as root
# make charts   what docs/deploy has for Kubernetes: linted, decoded strictly, each configuration checked; needs the Go proxy
# make ansible  the Ansible role: its syntax, and the configuration that it writes; installs ansible-core where it is missing
# make pictures docs/pictures, from the demo's site, by Chromium

GO       ?= go
RACE     ?=
PACKAGES ?= ./...
FUZZTIME ?= 10s
BENCH    ?= .
COUNT    ?= 1
FAULTS   ?= .
FLEET_SITES ?= 300
BLOGS ?= 10000
POSTS ?= 20000
FILES ?= 50000
INSTALLS ?=

ENGINES ?= mysql-9.7 mariadb-11.8 valkey-9

LOAD_TIME  ?= 10m
LOAD_RATE  ?= 2000
LOAD_SITES ?= 50

# The recorded sites are not part of this repository.
GOLDEN_DIR ?= ../shared/golden
GOLDEN     ?= basic dated catprefix authorid noslash plain pathinfo large cpt private disabled \
              noindexables ties elderly adminseen woo sqlite sqlite-old multisub multidom news video \
              polylang polylang-code polylang-domains
# Those whose database is of before an update: until WordPress answers its first request nothing in it tells.
GOLDEN_UPDATED ?= newschool
# Those with other plugins that are equal but for .ci/golden-exceptions.
GOLDEN_OTHERS ?= aioseo-main aioseo-paged aioseo-shop aioseo-plain aioseo-net aioseo-poly \
              rankmath-main rankmath-paged rankmath-shop rankmath-plain rankmath-net rankmath-poly \
              seopress-main seopress-paged seopress-shop seopress-plain seopress-net seopress-poly
# Single states of them.
GOLDEN_STATES ?= $(notdir $(wildcard $(GOLDEN_DIR)-states/*-*))
# Of other versions of WordPress and the plugins.
GOLDEN_VERSIONS ?= $(notdir $(wildcard $(GOLDEN_DIR)-versions/*-*))
# Whose types, addresses or exclusions are a plugin's code.
GOLDEN_TYPES ?= cpermrec eddc hiddenrec tecrec tutorrec
# After actions that Yoast does not follow: parents deleted, slugs changed by SQL.
GOLDEN_LIVING ?= pages
COMPAT     ?= plugin

# What is released, vetted, tested and replayed is compiled once: packages of other flags are other packages for the build cache.
# Only the race detector needs C.
export CGO_ENABLED := $(if $(RACE),1,0)
export GOFLAGS     := $(filter-out -trimpath,$(shell $(GO) env GOFLAGS)) -trimpath

.PHONY: demo test quick golden golden-explain golden-addons golden-diff versions compare bench bench-go big fleet thousands faults load engines fuzz lint vuln build release packages charts ansible pictures

demo:
	@test -x wpsitemapd || { echo "Compiling: two to four minutes the first time, two seconds after that."; \
		$(GO) build -v -o wpsitemapd . 2>&1 | awk '{ printf "\r%d of some 400 packages", NR; fflush() } END { print "" }'; }
	@$(MAKE) --no-print-directory build
	@./wpsitemapd demo

build:
	$(GO) build -o wpsitemapd .

release:
	GO=$(GO) .ci/release

packages:
	GO=$(GO) DIST=dist/packages TARGETS=linux/$$($(GO) env GOHOSTARCH) .ci/release
	.ci/packages dist/packages

charts:
	GO=$(GO) .ci/charts

ansible:
	GO=$(GO) .ci/ansible

pictures: build
	.ci/pictures

# Four packages at a time, as most of them wait. Vetting is make lint's. The race detector leaves SQLite alone: C translated
# to Go, which is not ours and would take most of the time.
test:
	.ci/mariadb $(GO) test -ldflags="-s -w" $(RACE) $(if $(RACE),-gcflags=modernc.org/...=-race=false) -vet=off -p 4 -parallel 8 -timeout 25m $(PACKAGES)

quick:
	$(GO) test -short -ldflags="-s -w" -vet=off -p 4 -parallel 8 -timeout 5m $(PACKAGES)

golden: build
	@test -e $(GOLDEN_DIR)/replay || { echo "make golden replays recorded requests of real sites, which are no part of the repository: name their folder by GOLDEN_DIR=."; exit 1; }
	.ci/mariadb sh -c 'exec .ci/replay "$$0" --bin ./wpsitemapd --db-socket "$$WPSITEMAPD_TEST_SOCKET" --compat "$$@"' \
		$(GOLDEN_DIR)/replay $(COMPAT) $(addprefix $(GOLDEN_DIR)/,$(GOLDEN)) $(addprefix $(GOLDEN_DIR)-types/,$(GOLDEN_TYPES)) \
		$(addprefix $(GOLDEN_DIR)-living/,$(GOLDEN_LIVING))
	.ci/mariadb .ci/golden-others $(GOLDEN_DIR)/replay ./wpsitemapd $(addprefix $(GOLDEN_DIR)-others/,$(GOLDEN_OTHERS)) \
		$(addprefix $(GOLDEN_DIR)/,$(GOLDEN_UPDATED)) \
		$(addprefix $(GOLDEN_DIR)-states/,$(GOLDEN_STATES)) $(addprefix $(GOLDEN_DIR)-versions/,$(GOLDEN_VERSIONS))

# The test $(1) of server/command for the recorded sites $(2), of these folders beside GOLDEN_DIR.
recorded = WPSITEMAPD_GOLDEN="$(strip $(2))" .ci/mariadb $(GO) test -run '^$(1)$$' -ldflags="-s -w" -vet=off -count 1 -timeout 25m ./server/command
recordings = $(addprefix $(abspath $(GOLDEN_DIR))$(1)/,$(2))

# Of disabled no sitemap is recorded.
golden-explain:
	$(call recorded,TestExplainGolden,$(call recordings,,$(filter-out disabled,$(GOLDEN))) $(call recordings,-others,$(GOLDEN_OTHERS)))

golden-addons:
	$(call recorded,TestAddOnsGolden,$(call recordings,,$(GOLDEN)) $(call recordings,-others,$(GOLDEN_OTHERS)))

# Of disabled no sitemap is recorded, only that WordPress has its own, as of one blog of the networks with other plugins.
# The index of aioseo-paged names a file that redirects, so that its addresses are not among those recorded.
# One file of rankmath-main and rm-1-0-218 is not among their requests: it shows images of a rendered block.
golden-diff:
	$(call recorded,TestDiffGolden,$(call recordings,,$(filter-out disabled,$(GOLDEN))) \
		$(call recordings,-others,$(filter-out %-plain %-net aioseo-paged rankmath-main,$(GOLDEN_OTHERS))) \
		$(call recordings,-versions,$(filter-out rm-%,$(GOLDEN_VERSIONS))))

# By PHP's own server; nothing is downloaded.
versions: build
	@command -v php >/dev/null || .ci/apt php-cli php-mysql php-gd php-mbstring php-xml
	.ci/mariadb .ci/versions ./wpsitemapd --wordpress $(WORDPRESS) --plugin $(PLUGINS)

# The same; nginx is measured where it is installed.
compare: build
	@command -v php >/dev/null || .ci/apt php-cli php-mysql php-gd php-mbstring php-xml
	WPSITEMAPD_TEST_POOL=$${WPSITEMAPD_TEST_POOL:-1G} .ci/mariadb .ci/compare ./wpsitemapd --wordpress $(WORDPRESS) --plugin $(PLUGINS) $(if $(WOOCOMMERCE),--woocommerce $(WOOCOMMERCE)) --posts $(POSTS) --files $(FILES)

# The data has to fit into the buffer pool, about 11 KB a post.
bench:
	WPSITEMAPD_TEST_POOL=$${WPSITEMAPD_TEST_POOL:-2G} .ci/mariadb .ci/bench $(GO)

bench-go:
	.ci/mariadb $(GO) test -run '^$$' -bench '$(BENCH)' -skip '^BenchmarkProgram$$' -benchmem -count $(COUNT) ./...

big:
	WPSITEMAPD_TEST_POOL=$${WPSITEMAPD_TEST_POOL:-1G} WPSITEMAPD_BIG=1 .ci/mariadb \
		$(GO) test -run '^Test(Many|Huge|PostWithMany)' -count 1 -v -timeout 20m ./sitemap

fleet:
	WPSITEMAPD_FLEET_SITES=$(FLEET_SITES) .ci/mariadb $(GO) test -run '^TestFleet$$' -count 1 -v ./server

# Files of ten thousand blogs are made in memory in a tenth of the time; they are about 8 GB.
thousands:
	WPSITEMAPD_TEST_DIR=$${WPSITEMAPD_TEST_DIR:-$$(test -w /dev/shm && echo /dev/shm)} WPSITEMAPD_TEST_POOL=$${WPSITEMAPD_TEST_POOL:-1G} \
		WPSITEMAPD_BLOGS=$(BLOGS) WPSITEMAPD_INSTALLS=$(INSTALLS) .ci/mariadb \
		$(GO) test -run '^TestThousands' -count 1 -v -timeout 90m ./server

# Both start a MariaDB of their own. In its own folder go test prints as it goes.
faults:
	cd server/faults && WPSITEMAPD_FAULTS=all $(GO) test $(RACE) -run '^TestFaults$$/($(FAULTS))' -count 1 -timeout 90m

load:
	cd server/faults && WPSITEMAPD_LOAD_TIME=$(LOAD_TIME) WPSITEMAPD_LOAD_RATE=$(LOAD_RATE) WPSITEMAPD_LOAD_SITES=$(LOAD_SITES) \
		$(GO) test $(RACE) -run '^TestLoad$$' -count 1 -timeout 0

# Each server is downloaded once, see .ci/engine.
engines:
	GO=$(GO) .ci/engines $(ENGINES)

fuzz:
	GO=$(GO) .ci/fuzz $(FUZZTIME)

lint:
	@unformatted=$$(gofmt -l .); if [ -n "$$unformatted" ]; then echo "gofmt would change:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) tool staticcheck ./...

vuln:
	$(GO) run golang.org/x/vuln/cmd/govulncheck@v1.1.4 ./...
