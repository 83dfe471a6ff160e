"""Requests that no browser sends: cut off, run together, or against the protocol."""

from __future__ import annotations

import contextlib
import re
import socket
from random import Random
from urllib.parse import quote

BAD_ANSWER = re.compile(rb"^HTTP/1\.[01] (5\d\d)", re.M)
PATIENCE = 5


def attack(port: int, path: str, cookies: dict[str, str], dice: Random) -> tuple[str, bytes] | None:
    """Send a bad request; return the fault of the answer and the request, or None."""
    cookie = "; ".join(f"{name}={value}" for name, value in cookies.items())
    path = quote(path, safe="/?=&%-._~")
    name, content, hang_up = rubbish(path, f"127.0.0.1:{port}", cookie, dice)
    answer = b""
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 5) as line:
        line.settimeout(PATIENCE)
        line.sendall(content)
        if hang_up:
            return None
        line.shutdown(socket.SHUT_WR)
        while part := line.recv(65536):
            answer += part
    heads = [part.partition(b"\r\n")[0] for part in re.split(rb"(?=HTTP/1\.[01] \d\d\d )", answer)]
    bad = [head for head in heads if BAD_ANSWER.match(head)]
    return (f"{name}: {bad[0].decode()}", content) if bad else None


def rubbish(path: str, host: str, cookie: str, dice: Random) -> tuple[str, bytes, bool]:
    """Return a bad request: its description, its bytes, and whether to hang up immediately."""
    get = f"GET {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n".encode()
    post = f"POST {path} HTTP/1.1\r\nHost: {host}\r\nCookie: {cookie}\r\n".encode()
    form = b"Content-Type: application/x-www-form-urlencoded\r\n"
    parts = b"Content-Type: multipart/form-data; boundary=x\r\n"
    disposition = b'Content-Disposition: form-data; name="file"; filename="a.json"\r\n\r\n'
    bodies = {
        "no boundary": (b"Content-Type: multipart/form-data\r\n", b"--x\r\n\r\n--x--"),
        "never closed": (parts, b"--x\r\n" + disposition + b"{}"),
        "no head": (parts, b"--x\r\n\r\n\r\n--x--\r\n"),
        "base64 that is none": (
            parts,
            b"--x\r\nContent-Transfer-Encoding: base64\r\n" + disposition + b"!!!\r\n--x--\r\n",
        ),
        "an unknown encoding": (
            b"Content-Type: application/x-www-form-urlencoded; charset=utf-99\r\n",
            b"a=\xff",
        ),
        "halves": (form, b"name=%ED%A0%80&reason=%ED%B0%80&%ED%A0%80=%00"),
        "bytes that are no text": (form, b"name=%FF%FE&\xff\xfe=\x80"),
        "many files": (parts, (b"--x\r\n" + disposition + b"x\r\n") * 300 + b"--x--\r\n"),
    }
    kinds = ["cut", "hang up", "pipeline", "line", "length", "chunks", "headers", *bodies]
    kind = dice.choice(kinds)
    if kind in bodies:
        head, body = bodies[kind]
        length = f"Content-Length: {len(body)}\r\n\r\n".encode()
        return f"a body with {kind}", post + head + length + body, False
    if kind == "cut":
        return "cut off", post + form + b"Content-Length: 5000\r\n\r\nname=x", dice.random() < 0.5
    if kind == "hang up":
        return "hung up", get + b"\r\n", True
    if kind == "pipeline":
        many = (get + b"\r\n") * 4 + get + b"Connection: close\r\n\r\n"
        return "run together", many, False
    if kind == "line":
        lines = (
            b"GET\r\n\r\n",
            b"GET / HTTP/9.9\r\n\r\n",
            b"GET " + b"/" * 9000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET /\x00 HTTP/1.1\r\nHost: x\r\n\r\n",
            b"GET /%00%ff%fe HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET /../../etc/passwd HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET //evil.example/%2e%2e HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET http://evil.example/ HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n",
            b"GET / HTTP/1.1\r\n\r\n",
            b"GET / HTTP/1.0\r\n\r\n",
            b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + b"\x00" * 100,
            b"\r\n" * 100,
        )
        return "a bad first line", dice.choice(lines), False
    if kind == "length":
        lengths = (b"-1", b"9" * 30, b"x", b"1\r\nContent-Length: 2", b"5, 6", b"+5", b"")
        length = dice.choice(lengths)
        return "a bad length", post + form + b"Content-Length: " + length + b"\r\n\r\nname=", False
    if kind == "chunks":
        chunks = (
            b"zz\r\n",
            b"ffffffffffffffff\r\nx",
            b"-1\r\n",
            b"5\r\nab",
            b"0\r\n",
            b"5;x\r\nname=\r\n",
        )
        both = b"Content-Length: 4\r\n" if dice.random() < 0.5 else b""
        head = post + form + both + b"Transfer-Encoding: chunked\r\n\r\n"
        return "bad chunks", head + dice.choice(chunks), False
    headers = (
        b"X: " + b"x" * 9000 + b"\r\n",
        b"X: x\r\n" * 200,
        b"X\x00: x\r\n",
        b"X : x\r\n",
        b" folded\r\n",
        b"Cookie: \xff\xfe=\x80; sessionid=\xe2\x80\xae\r\n",
        b"Host: a\r\nHost: b\r\n",
        b"Accept-Language: \xff\r\nReferer: \xff\xfe\r\n",
        b"HX-Request: \xff\r\nHX-Current-URL: \xed\xa0\x80\r\n",
        b"X-Forwarded-For: \xff\r\nX-Forwarded-Proto: \xff\r\n",
    )
    return "a bad header", get + dice.choice(headers) + b"Connection: close\r\n\r\n", False
