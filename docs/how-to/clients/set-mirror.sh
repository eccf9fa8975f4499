#!/bin/sh
# With bytes instead of characters, a class such as [0-9] matches ASCII only.
LC_ALL=C
export LC_ALL

fail() {
  printf '%s\n' "$1" >&2
  exit "${2:-1}"
}
trimmed() {
  set -- "${1#"${1%%[![:space:]]*}"}"
  printf %s "${1%"${1##*[![:space:]]}"}"
}

# The part of a header between \( and \). The last header counts, because a proxy may have added one.
header() {
  sed -n "s/^$1[[:space:]]*\$/\\1/p" "$folder/headers" | tail -n 1
}

[ $# -eq 2 ] || fail 'usage: CAMPAIGN_MIRROR_KEY=cm_... sh set-mirror.sh CAMPAIGN ADDRESS'
base=$(trimmed "$CAMPAIGN_MIRROR_URL" | sed 's|/*$||')
base=${base:-http://127.0.0.1:3000}
key=$(trimmed "$CAMPAIGN_MIRROR_KEY")
case $key in
  '') fail 'CAMPAIGN_MIRROR_KEY is not set' ;;
  *[![:graph:]]*) fail 'CAMPAIGN_MIRROR_KEY is no key: it has white space or other characters in it' ;;
esac
bad_url='CAMPAIGN_MIRROR_URL must be like https://mirror.example.com'
case $base in
  *[!][A-Za-z0-9_.~:/%-]* | http://[:/]* | https://[:/]*) fail "$bad_url" ;;
  http://?* | https://?*) ;;
  *) fail "$bad_url" ;;
esac
case $1 in
  '' | 0* | *[!0-9]*) fail 'the campaign must be a number: digits only, without a leading zero' ;;
esac
case $2 in
  *[[:cntrl:]]*) fail 'the address has control characters in it, such as a CR at its end, or is not UTF-8' ;;
esac
match=$(trimmed "$CAMPAIGN_MIRROR_IF_MATCH")
number=${match#\"}
number=${number%\"}
case $match in
  '' | '*') number=0 ;;
  \"*\") ;;
  *) number= ;;
esac
case $number in
  '' | *[!0-9]*) fail 'CAMPAIGN_MIRROR_IF_MATCH must be * or a number in quotes, such as "17"' ;;
esac

# The answer of the service escapes the address in the same way.
escaped=$(printf %s "$2" | sed 's/[\\"]/\\&/g')
body="{\"mirror_endpoint\":\"$escaped\"}"
request="cli-$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')"
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
trap 'exit 1' HUP INT TERM
# A closed standard output must not turn success into a failure.
trap '' PIPE

attempts=1
while :; do
  status=$(printf 'Authorization: Bearer %s\n' "$key" | curl --disable --silent --show-error --globoff --max-time 40 \
    --header @- --header 'Content-Type: application/json' --header "X-Request-Id: $request" --header "If-Match: $match" \
    --data-raw "$body" --output "$folder/answer" --dump-header "$folder/headers" --write-out '%{http_code}' \
    "$base/public/v1/mirror/campaign/$1/mirror" 2> "$folder/error")
  ended=$?
  wait=1
  if [ $ended -eq 0 ]; then
    answer=$(trimmed "$(cat "$folder/answer")")
    after=$(header '[Rr][Ee][Tt][Rr][Yy]-[Aa][Ff][Tt][Ee][Rr]:[[:blank:]]*\([0-9]\{1,9\}\)[0-9]*')
    wait=${after:-1}
    # A proxy that compresses answers may change the tag, such as to W/"18" or "18-gzip".
    tag=$(header '[Ee][Tt][Aa][Gg]:.*"\([0-9]\{1,\}\)[-A-Za-z]*"')
    [ -z "$match" ] || [ -z "$tag" ] || printf 'ETag: "%s"\n' "$tag" >&2
  else
    status=0
    answer=$(sed q "$folder/error")
  fi
  case $status$answer in
    '412{"message":"'*'","mirror":{'*',"target_url":"'"$escaped"'",'*'}}')
      printf '%s\n' 'already set: the mirror has this address, perhaps by an earlier attempt' >&2
      answer={\"mirror\":${answer#*'","mirror":'}
      status=200
      ;;
  esac
  case $status$answer in
    '200{"mirror":{'*'}}')
      answer=${answer#'{"mirror":'}
      printf '%s\n' "${answer%\}}"
      exit 0
      ;;
  esac
  # Exit codes of curl: no server, no address for its name, a timeout, or a broken connection. Other errors, such as a
  # refused certificate, are permanent.
  case $status-$ended in
    408-0 | 429-0 | 503-0 | 0-5 | 0-6 | 0-7 | 0-16 | 0-18 | 0-28 | 0-35 | 0-52 | 0-55 | 0-56 | 0-92) ;;
    412-0) fail "412 $answer (request $request)" 2 ;;
    *) attempts=4 ;;
  esac
  if [ "$wait" -gt 60 ] || [ $attempts -eq 4 ]; then fail "$status $answer (request $request)"; fi
  sleep "$wait"
  sleep $(($(od -An -N1 -tu1 /dev/urandom) % (attempts + 1)))
  attempts=$((attempts + 1))
done
