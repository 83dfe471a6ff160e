"""Serve a site in this process and print the processor time of every answer.

python bench/asked.py WSGI_MODULE

Each input line is a request as JSON: method, path, body, headers. Each output line is its answer:
milliseconds of processor time, status, bytes, ETag, compressed bytes. Other work on the machine
does not count, as it would in seconds by the clock.
"""

from __future__ import annotations

import gzip
import importlib
import io
import json
import sys
import time
from typing import Any


def environment(method: str, path: str, body: str, headers: dict[str, str]) -> dict[str, Any]:
    """Return the request as a WSGI environment."""
    place, _, query = path.partition("?")
    sent = body.encode()
    given = {f"HTTP_{name.upper().replace('-', '_')}": value for name, value in headers.items()}
    return given | {
        "REQUEST_METHOD": method,
        "PATH_INFO": place,
        "QUERY_STRING": query,
        "SERVER_NAME": "127.0.0.1",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "HTTP_HOST": "127.0.0.1",
        "CONTENT_TYPE": headers.get("Content-Type", "application/x-www-form-urlencoded"),
        "CONTENT_LENGTH": str(len(sent)),
        "wsgi.input": io.BytesIO(sent),
        "wsgi.errors": sys.stderr,
        "wsgi.url_scheme": "http",
    }


def main(module: str) -> None:
    application = importlib.import_module(module).application
    for line in sys.stdin:
        request = environment(*json.loads(line))
        told: list[Any] = []

        def start(status: str, headers: list[tuple[str, str]], told: list[Any] = told) -> None:
            told += [int(status[:3]), dict(headers).get("ETag", "")]

        began = time.process_time()
        answer = application(request, start)
        whole = b"".join(answer)
        if hasattr(answer, "close"):
            answer.close()
        spent = (time.process_time() - began) * 1000
        packed = len(gzip.compress(whole, 6))
        print(json.dumps([spent, told[0], len(whole), told[1], packed]), flush=True)


if __name__ == "__main__":
    main(sys.argv[1])
