# The service and its operator's commands: docker build --tag campaign-mirror .
# To build without a network, use a NODE_IMAGE that contains tini, and put pnpm and a filled pnpm store into .pnpm-store.
ARG NODE_IMAGE=node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2

FROM ${NODE_IMAGE} AS build
# COPY fails without a source, and .pnpm-store may be absent; the lock file always exists.
COPY pnpm-lock.yaml .pnpm-stor[e] /store/
COPY ops/pnpm.cjs /pnpm/
RUN if [ -x /store/pnpm ]; then ln -s /store/pnpm /usr/local/bin/pnpm; \
  else node /pnpm/pnpm.cjs /pnpm && npm ci --prefix /pnpm && ln -s /pnpm/node_modules/pnpm/pnpm /usr/local/bin/pnpm; fi
# The lock file pins each package by its hash, so its age and origin are not checked again.
ENV CI=true PNPM_CONFIG_STORE_DIR=/store PNPM_CONFIG_TRUST_LOCKFILE=true PNPM_CONFIG_PREFER_OFFLINE=true
WORKDIR /build
COPY package.json pnpm-lock.yaml pnpm-workspace.yaml tsconfig.base.json ./
COPY packages/domain/package.json packages/domain/
COPY packages/adapters-cli/package.json packages/adapters-cli/
COPY packages/adapters-http/package.json packages/adapters-http/
COPY packages/adapters-jwt/package.json packages/adapters-jwt/
COPY packages/adapters-persistence/package.json packages/adapters-persistence/
COPY packages/embedded-postgres/package.json packages/embedded-postgres/
COPY packages/port-contracts/package.json packages/port-contracts/
COPY packages/app/package.json packages/app/
RUN pnpm --filter '!@campaign-mirror/test' --filter '!@campaign-mirror/bench' install --frozen-lockfile --ignore-scripts
COPY packages packages
# Node does not run TypeScript in node_modules, so the other packages are compiled there; the application stays TypeScript.
# Optional packages are left out, and with them the embedded PostgreSQL.
RUN node_modules/.bin/tsc -b packages/app \
  && pnpm --filter '@campaign-mirror/app^...' exec sh -c 'npm pkg set --json exports="$(npm pkg get publishConfig.exports)"' \
  && pnpm --filter @campaign-mirror/app --prod --no-optional --ignore-scripts deploy /opt/campaign-mirror/packages/app
WORKDIR /opt/campaign-mirror
COPY package.json campaign-mirror ./
# The image has no git; `--version` shows this commit.
ARG REVISION=
RUN [ -z "${REVISION}" ] \
  || npm pkg set --prefix packages/app commit="$(echo "${REVISION}" | sed -E 's/^([0-9a-f]{12})[0-9a-f]+/\1/')"
RUN mkdir -p node_modules/.bin && ln -s "$(command -v node)" node_modules/.bin/node

FROM ${NODE_IMAGE}
ARG NODE_IMAGE
ARG VERSION=1.0.0
ARG REVISION=
ARG CREATED=
LABEL org.opencontainers.image.title="Campaign Mirror" \
  org.opencontainers.image.description="Changes the mirror of a live campaign: one call, safely." \
  org.opencontainers.image.version="${VERSION}" \
  org.opencontainers.image.revision="${REVISION}" \
  org.opencontainers.image.created="${CREATED}" \
  org.opencontainers.image.base.name="${NODE_IMAGE}"
RUN command -v tini >/dev/null \
  || { apt-get update && apt-get install --yes --no-install-recommends tini && rm -rf /var/lib/apt/lists/*; }
RUN ln -s /opt/campaign-mirror/campaign-mirror /usr/local/bin/campaign-mirror
COPY --from=build /opt/campaign-mirror /opt/campaign-mirror
WORKDIR /opt/campaign-mirror
# Only published ports can be reached from outside the container's network, so the service listens on all its addresses.
# `docker stop` kills after 10 s; SHUTDOWN_TIMEOUT is shorter.
ENV HOST=0.0.0.0 OPS_HOST=0.0.0.0 PORT=3000 OPS_PORT=3001 SHUTDOWN_TIMEOUT=6s
EXPOSE 3000 3001
# Kubernetes needs a number to verify runAsNonRoot.
USER 65532:65532
STOPSIGNAL SIGTERM
# Checks liveness, not readiness: a restart does not help while the database is away.
HEALTHCHECK --interval=5s --timeout=4s --start-period=30s CMD ["node", "packages/app/src/process/health-check.ts"]
# Node as process 1 would not reap orphaned processes.
ENTRYPOINT ["tini", "--"]
# The flags are those of `npm start`; docs/explanation/performance.md explains them.
CMD ["node", "--disable-sigusr1", "--no-memory-reducer", "--no-allocation-site-pretenuring", "packages/app/src/main.ts"]
