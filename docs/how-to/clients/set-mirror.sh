#!/bin/sh
if [ $# -ne 2 ]; then
  echo "usage: CAMPAIGN_MIRROR_KEY=cm_... sh set-mirror.sh CAMPAIGN ADDRESS" >&2
  exit 1
fi
base=$(printf %s "${CAMPAIGN_MIRROR_URL:-http://127.0.0.1:3000}" | tr -d '[:space:]' | sed 's|/*$||')
key=$(printf %s "$CAMPAIGN_MIRROR_KEY" | sed 's/[[:space:]]*$//; s/^[[:space:]]*//')
case $key in
  '') echo 'CAMPAIGN_MIRROR_KEY is not set' >&2; exit 1 ;;
  *[![:graph:]]*) echo 'CAMPAIGN_MIRROR_KEY is no key: it has white space or other characters in it' >&2; exit 1 ;;
esac

request="cli-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
answer=$(mktemp)
trap 'rm -f "$answer"' EXIT

status=$(printf 'Authorization: Bearer %s\n' "$key" | curl --silent --show-error --globoff \
  --max-time 40 --retry 3 --retry-max-time 60 --retry-all-errors \
  --header @- --header 'Content-Type: application/json' --header "X-Request-Id: $request" \
  --data "{\"mirror_endpoint\":\"$2\"}" --output "$answer" --write-out '%{http_code}' \
  "$base/public/v1/mirror/campaign/$1/mirror")

if [ "$status" = 200 ]; then
  cat "$answer"
else
  echo "$status $(cat "$answer") (request $request)" >&2
  exit 1
fi
