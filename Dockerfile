# A static binary, certificates and nothing else; see docs/operator/deploy.md.
#
#     docker build --build-arg VERSION=1.2.3 --tag wpsitemapd .

FROM golang:1.26 AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG VERSION=""
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags "-s -w -X wpsitemapd/server/command.version=${VERSION}" -o /out/wpsitemapd . \
	&& install --directory --mode 700 /out/state

FROM scratch
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/wpsitemapd /wpsitemapd
# A volume takes its owner from the folder it is laid over.
COPY --from=build --chown=65532:65532 /out/state /var/lib/wpsitemapd
USER 65532:65532
VOLUME ["/var/lib/wpsitemapd"]
EXPOSE 8080
ENV WPSITEMAPD_CONFIG=/etc/wpsitemapd.toml
ENTRYPOINT ["/wpsitemapd"]
CMD ["serve"]
