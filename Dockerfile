# A static image with one program under its three names, CA certificates and the
# demo's flights, and nothing else: no shell, no package manager, no root. What
# starts is consumer; --entrypoint credence or --entrypoint producer choose.
#
#   docker build -t credence:local .
#
# What is in it is said by testenv/release, which also makes the image without an engine
# (make release); what a container runs is said below, and read by it.
#
# BUILDER is any image with Go 1.26. Where none can be pulled, have the host make bin/image
# (testenv/offline/images.sh credence) and name that folder; BUILDER then is any image with
# a shell (testenv/offline/README.md). No file of BUILDER gets into the image:
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
    if [ -n "$PREBUILT" ]; then cp -a "$PREBUILT" /out; exit; fi; \
    at=github.com/credence-stream/credence/cmd/internal/version; \
    CGO_ENABLED=0 go build -trimpath -buildvcs=false -ldflags="-s -w -X $at.stamped=$VERSION -X $at.stampedRevision=$REVISION" \
        -o /tmp/credence ./cmd/credence; \
    go run ./testenv/release -root /out -program /tmp/credence -version "${VERSION:-devel}"

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
