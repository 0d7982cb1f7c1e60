# syntax=docker/dockerfile:1
# The service with its console and command line. Build it from the root of the repository:
#   docker build -t writecheck .
# Pin the base by digest in your own registry: --build-arg NODE_IMAGE=node@sha256:...
ARG NODE_IMAGE=node:26-slim

# Copy only the manifests, so that the two installations below stay cached until the lock file changes.
# Both run on the build platform. Their result is the same for x64 and arm64, because the one native module ships builds
# for both.
FROM --platform=${BUILDPLATFORM} ${NODE_IMAGE} AS manifests
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY bench/package.json bench/
COPY examples/package.json examples/
COPY packages/adapters/package.json packages/adapters/
COPY packages/api/package.json packages/api/
COPY packages/audit/package.json packages/audit/
COPY packages/cli/package.json packages/cli/
COPY packages/client/package.json packages/client/
COPY packages/console/package.json packages/console/
COPY packages/contract/package.json packages/contract/
COPY packages/engine/package.json packages/engine/
COPY packages/facts/package.json packages/facts/
COPY packages/ledger/package.json packages/ledger/
COPY packages/service/package.json packages/service/
COPY packages/store/package.json packages/store/

# Production dependencies. The base image has Node, so skip the optional one from npm.
FROM manifests AS modules
RUN --mount=type=cache,target=/root/.npm npm ci --workspace=writecheck --omit=dev --omit=optional --ignore-scripts
# Remove the sources of a precompiled binding, and a framework that only its own users need.
RUN rm -rf bench examples packages/console package-lock.json .npmrc \
    node_modules/better-sqlite3/deps node_modules/better-sqlite3/src node_modules/ai node_modules/@ai-sdk

FROM manifests AS build
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
COPY . .
# For `writecheck_build_info`: --build-arg COMMIT=$(git rev-parse HEAD)
ARG COMMIT=unknown
RUN npm run build
RUN mkdir /built && cp -R --parents packages/*/dist packages/*/bin packages/service/console /built

FROM ${NODE_IMAGE}
LABEL org.opencontainers.image.title="writecheck" \
      org.opencontainers.image.licenses="Apache-2.0"
# On this address sign-up is closed unless WRITECHECK_SIGNUP opens it: docs/hosting.md.
ENV NODE_ENV=production \
    WRITECHECK_HOST=0.0.0.0 \
    WRITECHECK_PORT=8080 \
    WRITECHECK_DATA=/data
COPY --from=modules /app /app
COPY --from=build /built /app
RUN install -d -o 1000 -g 1000 -m 0700 /data && ln -s /app/packages/cli/bin/writecheck.js /usr/local/bin/writecheck
# A numeric user lets Kubernetes verify that it is not root. The service writes only to /data.
USER 1000:1000
WORKDIR /data
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# Checks the process only. A restart would not fix what /readyz reports.
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.WRITECHECK_PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["writecheck"]
CMD ["serve"]
