#!/bin/bash
# build-images.sh - builds the image of the Dockerfile without a network. Programs of this machine stand in for the public
# images: Node as the project pins it, Caddy, and the engine's PostgreSQL.
set -euo pipefail
cd "$(dirname "$0")/../.."
: "${DOCKER_HOST:?a container engine is needed: .ci/run shows how to get one}"
export DOCKER_BUILDKIT=0
name=campaign-mirror-test
made=$(mktemp -d)
mkdir "$made/root"
trap 'rm -rf "$made"' EXIT

# Copies a program and its libraries to their places on every Debian.
add() {
  local program=$1 to=$2
  install -D "$program" "$made/root$to"
  { ldd "$program" || true; } | sed -n 's!.* => \(/[^ ]*\) .*!\1!p' | while read -r library; do
    install -D "$library" "$made/root$library"
  done
}

# Builds an image of the copied files on another image; standard input has more lines for its Dockerfile.
stand_in() {
  { printf 'FROM %s\nCOPY root /\nENTRYPOINT []\n' "$2"; cat; } > "$made/Dockerfile"
  docker build --quiet --network none --tag "$name/$1" "$made" >/dev/null
  rm -rf "$made/root"
  mkdir "$made/root"
}

# Parts of every Debian that the engine's image lacks: the whole C library, and small programs.
dpkg -L libc6 | grep '\.so\.[0-9]*$' | while read -r library; do install -D "$library" "$made/root$library"; done
for program in base64 dirname readlink; do add "$(command -v "$program")" "/usr/bin/$program"; done
stand_in debian "${TEST_POSTGRES_IMAGE:-postgres:15-local}" < /dev/null

add "$(readlink -f node_modules/.bin/node)" /usr/local/bin/node
add "$(command -v tini)" /usr/bin/tini
mkdir -p "$made/root/usr/local/lib"
cp -rL "$(dirname "$(dirname "$(readlink -f "$(command -v npm)")")")" "$made/root/usr/local/lib/npm"
stand_in node "$name/debian" <<'LINES'
RUN ln -s ../lib/npm/bin/npm-cli.js /usr/local/bin/npm
ENV PNPM_CONFIG_FETCH_RETRIES=0
LINES

add "$(command -v caddy)" /usr/bin/caddy
stand_in caddy "$name/debian" <<'LINES'
ENV XDG_CONFIG_HOME=/config XDG_DATA_HOME=/data
CMD ["caddy", "run", "--config", "/etc/caddy/Caddyfile", "--adapter", "caddyfile"]
LINES

# As in the public image before PostgreSQL 18, the data have a volume below the one that compose.yaml mounts.
stand_in postgres "$name/debian" <<'LINES'
ENV PGDATA=/var/lib/postgresql/data
RUN mkdir -p $PGDATA && chown postgres /var/lib/postgresql $PGDATA && chmod 1777 /var/lib/postgresql $PGDATA
VOLUME /var/lib/postgresql/data
RUN mkdir -p /run/postgresql && chown postgres /run/postgresql && chmod 3777 /run/postgresql
ENTRYPOINT ["docker-entrypoint.sh"]
CMD ["postgres"]
LINES

pnpm=$PWD/node_modules/.cache/pnpm/node_modules/pnpm/pnpm
store=$("$pnpm" store path)
# Copies only the files of the store that the installation in the image needs, since the engine copies each file three
# times. Their names are their SHA-512. The image does not keep the large optional packages, so they are left out.
trap 'rm -rf "$made" .pnpm-store' EXIT
mkdir "$made/taken"
cp --parents package.json pnpm-lock.yaml pnpm-workspace.yaml packages/*/package.json "$made/taken"
(cd "$made/taken" && CI=true "$pnpm" --filter '!@campaign-mirror/test' --filter '!@campaign-mirror/bench' install \
  --frozen-lockfile --trust-lockfile --prefer-offline --ignore-scripts) > /dev/null
to=$PWD/.pnpm-store/$(basename "$store")
rm -rf .pnpm-store
mkdir -p "$to"
find "$made/taken" -type f ! -path '*/node-linux-*' ! -path '*/@embedded-postgres*' -exec sha512sum {} + |
  sed 's!^\(..\)\([0-9a-f]*\) .*!files/\1/\2\nfiles/\1/\2-exec!' |
  (cd "$store" && while read -r file; do [ ! -e "$file" ] || echo "$file"; done | sort -u |
    xargs cp --parents --target-directory "$to" index.db)
cp "$pnpm" .pnpm-store/pnpm
docker build --network none --tag "$name/image" --build-arg "NODE_IMAGE=$name/node" \
  --build-arg REVISION=0123456789abcdef0123456789abcdef01234567 . > "$made/log" 2>&1 ||
  { tail -50 "$made/log" >&2; exit 1; }

size() { docker image inspect --format '{{.Size}}' "$name/$1"; }
echo "the image: $((($(size image) - $(size node)) / 1000000)) MB beyond its base"
