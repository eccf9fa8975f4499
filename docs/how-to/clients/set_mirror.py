#!/usr/bin/env python3
import json
import os
import random
import re
import sys
import time
import uuid
from http.client import HTTPException
from urllib.error import HTTPError
from urllib.request import HTTPRedirectHandler, Request, build_opener

BASE = (os.environ.get("CAMPAIGN_MIRROR_URL", "").strip() or "http://127.0.0.1:3000").rstrip("/")
KEY = os.environ.get("CAMPAIGN_MIRROR_KEY", "").strip()


class NoRedirect(HTTPRedirectHandler):
    """The key must not follow a redirect to another server."""

    def redirect_request(self, *_):
        return None


def attempt(campaign, address, request_id):
    request = Request(
        f"{BASE}/public/v1/mirror/campaign/{campaign}/mirror",
        method="POST",
        headers={
            "Authorization": f"Bearer {KEY}",
            "Content-Type": "application/json",
            "X-Request-Id": request_id,
        },
        data=json.dumps({"mirror_endpoint": address}).encode(),
    )
    try:
        try:
            response = build_opener(NoRedirect).open(request, timeout=40)
        except HTTPError as error:
            response = error
        with response:
            wait = response.headers.get("Retry-After", "")
            return response.status, response.read().decode(), int(wait) if wait.isdigit() else 1
    except (OSError, HTTPException) as error:
        return 0, str(error), 1


def set_mirror(campaign, address):
    """Sets the mirror of a campaign. Raises RuntimeError when it is refused, or when four attempts came to nothing."""
    if not KEY:
        raise RuntimeError("CAMPAIGN_MIRROR_KEY is not set")
    # A message about a header that cannot be sent would show the key.
    if re.search("[^!-~]", KEY):
        raise RuntimeError("CAMPAIGN_MIRROR_KEY is no key: it has white space or other characters in it")
    request_id = str(uuid.uuid4())
    for attempts in range(1, 5):
        status, text, wait = attempt(campaign, address, request_id)
        if status == 200:
            return json.loads(text)["mirror"]
        if status not in (0, 408, 429, 503) or wait > 60 or attempts == 4:
            raise RuntimeError(f"{status} {text} (request {request_id})")
        time.sleep(wait + random.random() * attempts)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: CAMPAIGN_MIRROR_KEY=cm_... python3 set_mirror.py CAMPAIGN ADDRESS")
    try:
        print(json.dumps(set_mirror(sys.argv[1], sys.argv[2])))
    except (RuntimeError, ValueError) as error:
        sys.exit(str(error))
