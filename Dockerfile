# The service and its operator's commands: docker build --tag campaign-mirror .
# Without a network: NODE_IMAGE has tini, and .pnpm-store holds a filled store of pnpm, and pnpm itself.
ARG NODE_IMAGE=node:26.10.0-bookworm-slim@sha256:662933cf47f013bc8e4beb31a6116448427a82057ba7c42c97e4c5ba766504c2

FROM ${NODE_IMAGE} AS build
# The lock file stands here so that there is something to copy where there is no store.
COPY pnpm-lock.yaml .pnpm-stor[e] /store/
COPY ops/pnpm.cjs /pnpm/
RUN if [ -x /store/pnpm ]; then ln -s /store/pnpm /usr/local/bin/pnpm; \
  else node /pnpm/pnpm.cjs /pnpm && npm ci --prefix /pnpm && ln -s /pnpm/node_modules/pnpm/pnpm /usr/local/bin/pnpm; fi
# What the lock file names was judged when it was written; it is taken by its hash.
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
# Node runs no TypeScript inside node_modules: there our own packages are JavaScript, the application is as it is.
# Without the optional packages, hence without the embedded PostgreSQL.
RUN node_modules/.bin/tsc -b packages/app \
  && pnpm --filter '@campaign-mirror/app^...' exec sh -c 'npm pkg set --json exports="$(npm pkg get publishConfig.exports)"' \
  && pnpm --filter @campaign-mirror/app --prod --no-optional --ignore-scripts deploy /opt/campaign-mirror/packages/app
WORKDIR /opt/campaign-mirror
COPY package.json campaign-mirror ./
# `--version` shows it, since there is no git.
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
# A container's own network is what loopback is elsewhere: only what is published can be reached. Requests get less time
# at the end than by default, so that the 10 s of `docker stop` suffice.
ENV HOST=0.0.0.0 OPS_HOST=0.0.0.0 PORT=3000 OPS_PORT=3001 SHUTDOWN_TIMEOUT=6s
EXPOSE 3000 3001
# A number, so that Kubernetes can see that it is not root.
USER 65532:65532
STOPSIGNAL SIGTERM
# Whether it lives, not whether it is ready: a new process would not bring the database back.
HEALTHCHECK --interval=5s --timeout=4s --start-period=30s CMD ["node", "packages/app/src/process/health-check.ts"]
# As process 1 Node would not reap what it did not start.
ENTRYPOINT ["tini", "--"]
# The flags are those of `npm start`; docs/explanation/performance.md explains them.
CMD ["node", "--disable-sigusr1", "--no-memory-reducer", "--no-allocation-site-pretenuring", "packages/app/src/main.ts"]
