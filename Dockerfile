# A static binary, certificates and nothing else; see docs/operator/install.md.
#
#     docker build --build-arg VERSION=1.2.3 --tag wpsitemapd .
#     docker buildx build --platform linux/amd64,linux/arm64 --build-arg VERSION=1.2.3 --tag wpsitemapd .

FROM --platform=$BUILDPLATFORM golang:1.26.8-bookworm AS build
WORKDIR /src
COPY go.mod go.sum ./
RUN go mod download
COPY . .
ARG TARGETOS TARGETARCH VERSION=""
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH \
	go build -trimpath -buildvcs=false -ldflags "-s -w -X wpsitemapd/server/metrics.linked=${VERSION}" -o /out/wpsitemapd . \
	&& install --directory --mode 700 /out/state

FROM scratch
ARG VERSION="" REVISION="" SOURCE=""
LABEL org.opencontainers.image.title="wpsitemapd" \
	org.opencontainers.image.description="XML sitemaps of WordPress sites, straight from their databases" \
	org.opencontainers.image.licenses="MIT" \
	org.opencontainers.image.version="${VERSION}" \
	org.opencontainers.image.revision="${REVISION}" \
	org.opencontainers.image.source="${SOURCE}"
COPY --from=build /etc/ssl/certs/ca-certificates.crt /etc/ssl/certs/ca-certificates.crt
COPY --from=build /out/wpsitemapd /wpsitemapd
# A volume takes its owner from the folder it is laid over.
COPY --from=build --chown=65532:65532 /out/state /var/lib/wpsitemapd
USER 65532:65532
VOLUME ["/var/lib/wpsitemapd"]
EXPOSE 8080
ENV WPSITEMAPD_CONFIG=/etc/wpsitemapd.toml
# It asks the listener "admin", which the configuration has to have; --no-healthcheck where it has none. Kubernetes asks by itself.
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 CMD ["/wpsitemapd", "health"]
ENTRYPOINT ["/wpsitemapd"]
CMD ["serve"]
