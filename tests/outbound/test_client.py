"""Requests to addresses that people typed: only to public servers, with one deadline."""

from __future__ import annotations

import logging
import socket
import threading
import traceback
from pathlib import Path

import pytest

from outbound import client
from outbound.client import (
    Answer,
    NotSent,
    Reason,
    Refused,
    Sending,
    Unreachable,
    check_address,
    is_public,
)
from tests.outbound.servers import PUBLIC, Internet, Request, Server, answer, serving

SECRET = "a-secret-token"
URL = f"https://hooks.example/api/{SECRET}?wait=true"


def send(url: str = URL, body: bytes = b"{}", method: str = "POST") -> Answer:
    return client.send(Sending(method, url, {"Content-Type": "application/json"}, body))


def refusal(url: str = URL) -> Reason:
    with pytest.raises(Refused) as caught:
        send(url)
    return caught.value.reason


def failure(url: str = URL) -> Reason:
    with pytest.raises(Unreachable) as caught:
        send(url)
    return caught.value.reason


def test_send_delivers_the_request_and_returns_the_answer(server: Server) -> None:
    server.respond = lambda request: answer(201, b'{"id": "7"}', X_Left="4")
    found = send(body=b'{"a": 1}', method="PATCH")
    assert (found.status, found.body, found.headers["x-left"]) == (201, b'{"id": "7"}', "4")
    [request] = server.requests
    assert request.method == "PATCH"
    assert request.path == f"/api/{SECRET}?wait=true"
    assert request.body == b'{"a": 1}'
    assert request.headers["host"] == "hooks.example"
    assert request.headers["content-type"] == "application/json"
    assert request.headers["user-agent"].startswith("Skirmish/")


def test_send_follows_no_redirect(server: Server) -> None:
    server.respond = lambda request: answer(302, Location="https://hooks.example/elsewhere")
    assert send().status == 302
    assert len(server.requests) == 1


def test_send_connects_to_the_address_that_it_checked_when_a_name_changes(
    server: Server, internet: Internet
) -> None:
    internet.names["hooks.example"] = [[PUBLIC], ["127.0.0.1"]]
    internet.ports["127.0.0.1"] = server.port
    assert send().status == 200
    assert internet.looked_up == ["hooks.example"]
    assert internet.dialled == [PUBLIC]


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.8",
        "172.16.4.1",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "224.0.0.1",
        "255.255.255.255",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fec0::1",
        "fd00::1",
        "ff0e::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.8",
        "::127.0.0.1",
        "::8.8.8.8",
        "2002:7f00:1::",
        "2002:a00:8::1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::10.0.0.8",
        "64:ff9b:1::8.8.8.8",
        "2001:0:1::1",
        "2001:db8::1",
    ],
)
def test_send_refuses_a_name_that_leads_to_a_private_address(
    server: Server, internet: Internet, address: str
) -> None:
    assert not is_public(address)
    internet.ports[address] = server.port
    for found in ([address], [PUBLIC, address], [address, PUBLIC]):
        internet.names["hooks.example"] = [found]
        assert refusal() == Reason.NOT_PUBLIC
    assert internet.dialled == []


@pytest.mark.parametrize(
    "address",
    ["8.8.8.8", "2606:4700:4700::1111", "::ffff:8.8.8.8", "64:ff9b::8.8.8.8"],
)
def test_send_accepts_a_public_address(server: Server, internet: Internet, address: str) -> None:
    internet.names["hooks.example"] = [[address]]
    internet.ports[address] = server.port
    assert send().status == 200
    assert internet.dialled == [address]


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", Reason.INCOMPLETE),
        ("hooks.example/api", Reason.INCOMPLETE),
        ("https:///api", Reason.INCOMPLETE),
        ("https://[::1/api", Reason.INCOMPLETE),
        ("https://hooks.example:port/", Reason.INCOMPLETE),
        ("https://hooks.example/a b", Reason.INCOMPLETE),
        ("https://hooks.example/a\r\nHost: other", Reason.INCOMPLETE),
        ("https://hooks.example\\@127.0.0.1/", Reason.INCOMPLETE),
        ("https://１２７.0.0.1/", Reason.INCOMPLETE),
        ("https://hooks.example/" + "x" * 2000, Reason.INCOMPLETE),
        ("http://hooks.example/", Reason.NOT_HTTPS),
        ("file:///etc/passwd", Reason.INCOMPLETE),
        ("gopher://hooks.example/", Reason.NOT_HTTPS),
        ("https://name@hooks.example/", Reason.WITH_USER),
        ("https://name:word@hooks.example/", Reason.WITH_USER),
        ("https://@hooks.example/", Reason.WITH_USER),
        ("https://hooks.example:8443/", Reason.OTHER_PORT),
        ("https://hooks.example:22/", Reason.OTHER_PORT),
        ("https://localhost/", Reason.NOT_PUBLIC),
        ("https://database/", Reason.NOT_PUBLIC),
        ("https://127.0.0.1/", Reason.NOT_PUBLIC),
        ("https://127.1/", Reason.NOT_PUBLIC),
        ("https://2130706433/", Reason.NOT_PUBLIC),
        ("https://0x7f000001/", Reason.NOT_PUBLIC),
        ("https://0x7f.0.0.0x1/", Reason.NOT_PUBLIC),
        ("https://0177.0.0.1/", Reason.NOT_PUBLIC),
        ("https://134744072/", Reason.NOT_PUBLIC),
        ("https://127.0.0.1./", Reason.NOT_PUBLIC),
        ("https://[::1]/", Reason.NOT_PUBLIC),
        ("https://[::ffff:127.0.0.1]/", Reason.NOT_PUBLIC),
        ("https://[64:ff9b::a00:8]/", Reason.NOT_PUBLIC),
        ("https://[2002:7f00:1::]/", Reason.NOT_PUBLIC),
        ("https://-a.example/", Reason.NOT_PUBLIC),
        ("https://a..example/", Reason.NOT_PUBLIC),
    ],
)
def test_send_refuses_an_address_before_any_look_up(
    internet: Internet, url: str, reason: Reason
) -> None:
    assert refusal(url) == reason
    with pytest.raises(Refused):
        check_address(url)
    assert (internet.looked_up, internet.dialled) == ([], [])


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://hooks.example", "hooks.example"),
        ("HTTPS://Hooks.EXAMPLE:443/a?b#c", "hooks.example"),
        ("https://hooks.example.:/", "hooks.example"),
        ("https://xn--mnchen-3ya.example/", "xn--mnchen-3ya.example"),
        ("https://[2606:4700:4700:0::1111]/", "2606:4700:4700::1111"),
    ],
)
def test_check_address_returns_the_host(url: str, host: str) -> None:
    assert check_address(url) == host


def test_send_speaks_to_a_public_address_without_a_name(internet: Internet, tmp_path: Path) -> None:
    address = "2606:4700:4700::1111"
    with serving(internet, tmp_path, address, address) as server:
        assert send(f"https://[{address}]/").status == 200
        assert server.requests[0].headers["host"] == f"[{address}]"


def test_send_tries_the_next_address_when_one_accepts_no_connection(
    server: Server, internet: Internet
) -> None:
    internet.names["hooks.example"] = [["2606:4700:4700::1111", PUBLIC]]
    assert send().status == 200
    assert internet.dialled == ["2606:4700:4700::1111", PUBLIC]


def test_send_fails_when_no_address_accepts_a_connection(internet: Internet) -> None:
    internet.names["hooks.example"] = [[PUBLIC]]
    assert failure() == Reason.NO_CONNECTION


def test_send_fails_for_an_unknown_name(internet: Internet) -> None:
    assert failure() == Reason.UNKNOWN_NAME


def test_send_fails_for_a_certificate_of_another_name(internet: Internet, tmp_path: Path) -> None:
    with serving(internet, tmp_path, "hooks.example", names=("other.example",)) as server:
        assert failure() == Reason.BAD_CERTIFICATE
        assert server.requests == []


def test_send_fails_for_an_unknown_authority(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_tls", client.ssl.create_default_context)
    assert failure() == Reason.BAD_CERTIFICATE
    assert server.requests == []


def test_send_fails_for_a_server_without_tls(internet: Internet) -> None:
    plain = Server(None)
    plain.talk = lambda connection: connection.sendall(answer())
    internet.names["hooks.example"] = [[PUBLIC]]
    internet.ports[PUBLIC] = plain.port
    assert failure() == Reason.NO_ANSWER
    plain.close()


@pytest.mark.parametrize(
    "sent", [b"", b"hello\r\n", b"HTTP/1.1 200 Fine\r\nContent-Length: 9\r\n\r\n"]
)
def test_send_fails_for_an_answer_that_breaks_off(server: Server, sent: bytes) -> None:
    server.respond = lambda request: sent
    assert failure() == Reason.NO_ANSWER


def test_send_ignores_proxy_variables(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy", "HTTP_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:1")
    assert send().status == 200


def test_send_reads_only_the_beginning_of_a_long_answer(server: Server) -> None:
    def talk(connection: socket.socket) -> None:
        server.read(connection)
        connection.sendall(b"HTTP/1.1 200 Fine\r\n\r\n")
        while not server.closing.is_set():
            connection.sendall(b"x" * 10_000)

    server.talk = talk
    assert send().body == b"x" * client.LONGEST_ANSWER


def test_send_unpacks_nothing(server: Server) -> None:
    server.respond = lambda request: answer(body=b"not packed", Content_Encoding="gzip")
    assert send().body == b"not packed"
    assert server.requests[0].headers["accept-encoding"] == "identity"


def _say_nothing(server: Server, connection: socket.socket) -> None:
    server.closing.wait(60)


def _drip_headers(server: Server, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 Fine\r\n")
    while not server.closing.wait(0.01):
        connection.sendall(b"X-More: 1\r\n"[:1])


def _drip_body(server: Server, connection: socket.socket) -> None:
    connection.sendall(b"HTTP/1.1 200 Fine\r\n\r\n")
    while not server.closing.wait(0.01):
        connection.sendall(b"x")


@pytest.mark.parametrize("talk", [_say_nothing, _drip_headers, _drip_body])
def test_send_ends_the_connection_at_the_deadline(
    server: Server, monkeypatch: pytest.MonkeyPatch, talk: object
) -> None:
    is_over = threading.Event()

    def watch(connection: socket.socket) -> None:
        server.read(connection)
        try:
            talk(server, connection)  # type: ignore[operator]
        finally:
            is_over.set()

    server.talk = watch
    started = _wait_only_until_the_server_has_read(server, monkeypatch)
    assert failure() == Reason.TOO_SLOW
    assert started.is_set()
    if talk is not _say_nothing:
        # The server notices, as it cannot write any more.
        assert is_over.wait(60)
    assert _all_places_are_free()


def _wait_only_until_the_server_has_read(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> threading.Event:
    """Let the deadline pass when the server has the request."""
    has_read = threading.Event()
    read = server.read

    def read_and_tell(connection: socket.socket) -> Request:
        found = read(connection)
        has_read.set()
        return found

    class Outcome(client.queue.SimpleQueue[object]):
        def get(self, block: bool = True, timeout: float | None = None) -> object:
            assert timeout == client.DEADLINE
            assert has_read.wait(60)
            raise client.queue.Empty

    monkeypatch.setattr(server, "read", read_and_tell)
    monkeypatch.setattr(client.queue, "SimpleQueue", Outcome)
    return has_read


def _all_places_are_free() -> bool:
    """Wait for the threads to end."""
    taken = [client._places.acquire(timeout=60) for _ in range(client.MOST_AT_ONCE)]
    for _ in filter(None, taken):
        client._places.release()
    return all(taken)


def test_send_does_not_wait_for_slow_names(
    internet: Internet, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    is_asked = threading.Event()

    def resolve(host: str) -> list[str]:
        is_asked.wait(60)
        return [PUBLIC]

    monkeypatch.setattr(client, "_resolve", resolve)
    monkeypatch.setattr(client, "DEADLINE", 0.01)
    assert failure() == Reason.TOO_SLOW
    is_asked.set()
    assert _all_places_are_free()
    assert internet.dialled == []


def test_send_limits_the_requests_of_a_process(
    internet: Internet, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_places", threading.BoundedSemaphore(1))
    monkeypatch.setattr(client, "DEADLINE", 0.01)
    client._places.acquire()
    assert failure() == Reason.TOO_SLOW
    assert internet.looked_up == []


def test_no_log_and_no_error_contains_the_address(
    server: Server,
    internet: Internet,
    caplog: pytest.LogCaptureFixture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    caplog.set_level(logging.DEBUG)
    errors: list[BaseException] = []

    def attempt(url: str = URL) -> None:
        try:
            send(url)
        except NotSent as error:
            errors.append(error)

    server.respond = lambda request: b"HTTP/1.1 200 Fine\r\n: no name\r\nno colon\r\n\r\n"
    attempt()
    server.respond = lambda request: b"nonsense"
    attempt()
    attempt(URL.replace("hooks.", "unknown."))
    attempt(URL.replace("https:", "http:"))
    attempt(URL.replace("hooks.example", "hooks.example:99"))
    attempt(URL.replace("hooks.example", "hooks.example:bad"))
    monkeypatch.setattr(client, "_tls", client.ssl.create_default_context)
    attempt()
    internet.ports.clear()
    attempt()
    internet.names["hooks.example"] = [["10.0.0.8"]]
    attempt()
    assert len(errors) == 8
    written = caplog.text + "".join("".join(traceback.format_exception(error)) for error in errors)
    for part in (SECRET, "hooks.example", "unknown.example", PUBLIC, "10.0.0.8"):
        assert part not in written
