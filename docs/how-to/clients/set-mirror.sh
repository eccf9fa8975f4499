#!/bin/sh
request="cli-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

status=$(printf 'Authorization: Bearer %s\n' "$CAMPAIGN_MIRROR_KEY" | curl --silent --show-error \
  --max-time 40 --retry 3 --retry-max-time 60 --retry-all-errors \
  --header @- --header 'Content-Type: application/json' --header "X-Request-Id: $request" \
  --data "{\"mirror_endpoint\":\"$2\"}" --output "$answer" --write-out '%{http_code}' \
  "${CAMPAIGN_MIRROR_URL:-http://127.0.0.1:3000}/public/v1/mirror/campaign/$1/mirror")

if [ "$status" = 200 ]; then
  cat "$answer"
else
  echo "$status $(cat "$answer") (request $request)" >&2
  exit 1
fi
