# A static image with one program under its three names, CA certificates and the
# demo's flights, and nothing else: no shell, no package manager, no root. What
# starts is consumer; --entrypoint credence or --entrypoint producer choose.
#
#   docker build -t credence:local .
#
# BUILDER is any image with Go 1.26. Where none can be pulled, build
# ./cmd/credence on the host into bin/image, and THIRD_PARTY_NOTICES.txt (go run
# ./testenv/release -notices bin/image/credence), and name that folder; BUILDER then is any
# image with a shell, gunzip and CA certificates (testenv/offline/README.md):
#
#   docker build --build-arg BUILDER=credence-base:local --build-arg PREBUILT=bin/image -t credence:local .
ARG BUILDER=golang:1.26
FROM ${BUILDER} AS build
ARG PREBUILT=""
# What --version and the metric credence_build_info say: git describe, git rev-parse HEAD.
ARG VERSION="" REVISION=""
# Lets testenv/offline find and remove what a build leaves behind.
LABEL dev.credence.build=1
WORKDIR /src
COPY . .
RUN set -eu; \
    mkdir -p /out/usr/local/bin /out/etc/ssl/certs /out/data /out/tmp /out/licenses; \
    cp LICENSE /out/licenses/; \
    chmod 1777 /out/tmp; \
    if [ -n "$PREBUILT" ]; then \
        cp "$PREBUILT/credence" /out/usr/local/bin/; \
        cp "$PREBUILT/THIRD_PARTY_NOTICES.txt" /out/licenses/; \
    else \
        at=github.com/credence-stream/credence/cmd/internal/version; \
        CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w -X $at.stamped=$VERSION -X $at.stampedRevision=$REVISION" \
            -o /out/usr/local/bin/ ./cmd/credence; \
        go run ./testenv/release -notices /out/usr/local/bin/credence > /out/licenses/THIRD_PARTY_NOTICES.txt; \
    fi; \
    chmod 0755 /out/usr/local/bin/credence; \
    ln -s credence /out/usr/local/bin/consumer; \
    ln -s credence /out/usr/local/bin/producer; \
    cp /etc/ssl/certs/ca-certificates.crt /out/etc/ssl/certs/; \
    gunzip -c cmd/consumer/demo/flights.csv.gz > /out/data/flights.csv; \
    echo 'credence:x:65532:65532::/:/sbin/nologin' > /out/etc/passwd; \
    chmod 0644 /out/etc/passwd /out/etc/ssl/certs/* /out/data/*

FROM scratch
ARG VERSION="" REVISION=""
LABEL org.opencontainers.image.title=credence org.opencontainers.image.version=$VERSION \
      org.opencontainers.image.revision=$REVISION org.opencontainers.image.licenses=Apache-2.0
COPY --from=build /out/ /
ENV PATH=/usr/local/bin
USER 65532:65532
EXPOSE 8080
ENTRYPOINT ["/usr/local/bin/consumer"]
CMD ["run", "--config", "/etc/credence/consumer.yaml"]
# Ready is what /readyz says: not while a partition is halted or an outage lasts.
HEALTHCHECK --interval=10s --timeout=10s --start-period=30s --retries=6 \
    CMD ["/usr/local/bin/consumer", "ready", "--config", "/etc/credence/consumer.yaml"]
