#!/usr/bin/env python3
import json
import os
import random
import re
import sys
import time
import uuid
from contextlib import suppress
from http.client import HTTPException, IncompleteRead
from queue import Empty, SimpleQueue
from threading import Thread
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

BLANKS = " \t\n\v\f\r"
BASE = os.environ.get("CAMPAIGN_MIRROR_URL", "").strip(BLANKS).rstrip("/") or "http://127.0.0.1:3000"
KEY = os.environ.get("CAMPAIGN_MIRROR_KEY", "").strip(BLANKS)
MATCH = os.environ.get("CAMPAIGN_MIRROR_IF_MATCH", "").strip(BLANKS)


class ConditionFailed(RuntimeError):
    pass


class NoRedirect(HTTPRedirectHandler):
    """Follows no redirect, because it would send the key to another server."""

    def redirect_request(self, *_):
        return None


def attempt(campaign, body, request_id):
    """Returns the status (0: no answer), the text, whether to retry, and the seconds to wait before a retry."""
    request = Request(
        f"{BASE}/public/v1/mirror/campaign/{campaign}/mirror",
        method="POST",
        headers={
            "Authorization": f"Bearer {KEY}",
            "Content-Type": "application/json",
            "X-Request-Id": request_id,
            **({"If-Match": MATCH} if MATCH else {}),
        },
        data=body,
    )
    try:
        try:
            response = build_opener(NoRedirect).open(request, timeout=40)
        except HTTPError as error:
            response = error
        with response:
            status, text = response.status, response.read().decode(errors="replace").strip(BLANKS)
            wait = response.headers.get("Retry-After", "").strip(BLANKS)
            # A proxy that compresses answers may change the tag, such as to W/"18" or "18-gzip".
            tag = re.search('"([0-9]+)[-A-Za-z]*"$', response.headers.get("ETag", "").strip(BLANKS))
            if MATCH and tag:
                print(f'ETag: "{tag[1]}"', file=sys.stderr)
            wait = float(wait) if re.fullmatch("[0-9]+", wait) else 1
            return status, text, status in (408, 429, 503), wait
    except (OSError, HTTPException, ValueError, OverflowError) as error:
        reason = error.reason if isinstance(error, URLError) else error
        # Retry if there is no server, no address for its name, no answer, or a broken connection. A refused certificate,
        # which is an OSError and a ValueError, is permanent.
        again = isinstance(reason, (OSError, IncompleteRead)) and not isinstance(reason, ValueError)
        return 0, str(reason).strip(BLANKS) or type(reason).__name__, again, 1


def set_mirror(campaign, address):
    """Sets the mirror of a campaign. Raises RuntimeError if the service refuses the call, or if four attempts fail."""
    if not KEY:
        raise RuntimeError("CAMPAIGN_MIRROR_KEY is not set")
    # An error message about an invalid header would show the key.
    if re.search("[^!-~]", KEY):
        raise RuntimeError("CAMPAIGN_MIRROR_KEY is no key: it has white space or other characters in it")
    if not re.fullmatch(r"https?://[A-Za-z0-9_.~%\[\]-][A-Za-z0-9_.~:/%\[\]-]*", BASE):
        raise RuntimeError("CAMPAIGN_MIRROR_URL must be like https://mirror.example.com")
    if not re.fullmatch("[1-9][0-9]*", str(campaign)):
        raise RuntimeError("the campaign must be a number: digits only, without a leading zero")
    # Python replaces each byte that is not UTF-8 with half of a surrogate pair.
    if re.search("[\0-\x1f\x7f\ud800-\udfff]", address):
        raise RuntimeError("the address has control characters in it, such as a CR at its end, or is not UTF-8")
    if MATCH and not re.fullmatch(r'\*|"[0-9]+"', MATCH):
        raise RuntimeError('CAMPAIGN_MIRROR_IF_MATCH must be * or a number in quotes, such as "17"')
    body = json.dumps({"mirror_endpoint": address}, ensure_ascii=False).encode()
    request_id = str(uuid.uuid4())
    for attempts in range(1, 5):
        # A thread limits the whole attempt: the timeout of a connection restarts with each byte received.
        answers = SimpleQueue()
        Thread(target=lambda: answers.put(attempt(campaign, body, request_id)), daemon=True).start()
        try:
            status, text, again, wait = answers.get(timeout=40)
        except Empty:
            status, text, again, wait = 0, "timed out", True, 1
        if status == 200 and re.fullmatch(r'\{"mirror":\{.*\}\}', text):
            return json.loads(text)["mirror"]
        if status == 412 and re.fullmatch(r'\{"message":"[^"]*","mirror":\{.*\}\}', text):
            mirror = json.loads(text)["mirror"]
            if mirror["target_url"] == address:
                print("already set: the mirror has this address, perhaps by an earlier attempt", file=sys.stderr)
                return mirror
        if not again or wait > 60 or attempts == 4:
            error = ConditionFailed if status == 412 else RuntimeError
            raise error(f"{status} {text} (request {request_id})")
        time.sleep(wait + random.random() * attempts)


def main(words):
    if len(words) != 2:
        raise RuntimeError("usage: CAMPAIGN_MIRROR_KEY=cm_... python3 set_mirror.py CAMPAIGN ADDRESS")
    # If the locale is not UTF-8, Python has decoded the bytes as other characters.
    campaign, address = (os.fsencode(word).decode(errors="surrogateescape") for word in words)
    line = json.dumps(set_mirror(campaign, address), ensure_ascii=False, separators=(",", ":"))
    # A closed standard output must not turn success into a failure.
    with suppress(OSError, AttributeError):
        os.write(sys.stdout.fileno(), f"{line}\n".encode())


if __name__ == "__main__":
    try:
        main(sys.argv[1:])
    except ConditionFailed as error:
        print(error, file=sys.stderr)
        sys.exit(2)
    except (RuntimeError, ValueError) as error:
        sys.exit(str(error))
