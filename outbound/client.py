"""Send requests to addresses that people typed, and only to public servers.

Nobody may use the site to reach its own network. So an address must be HTTPS on the usual port;
its name is resolved once, every IP address found must be public, and the connection goes to one of
these very addresses. Redirects are not followed, proxy variables are ignored, nothing is retried.
One deadline covers everything from the look-up of the name to the last byte of the answer.

An address is a secret: no exception, no log line and no traceback contains any part of it.
"""

from __future__ import annotations

import contextlib
import http.client
import ipaddress
import logging
import queue
import re
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from urllib.parse import urlsplit

import urllib3
from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _
from urllib3.connection import HTTPSConnection

PORT = 443
# Seconds for everything together, and for one of several IP addresses to accept the connection.
DEADLINE = 5.0
CONNECT_WITHIN = 2.0
# Bytes of an answer that are usually read, and characters of an address.
LONGEST_ANSWER = 64 * 1024
LONGEST_ADDRESS = 2000
# Requests of one process at the same time, including abandoned ones that still wait for DNS.
MOST_AT_ONCE = 16

PRINTABLE = re.compile(r"[!-\[\]-~]+")
# A name with a dot. Its last label starts with a letter: 127.1, 2130706433, 0x7f.1 and 0177.0.0.1
# are ways to write an IP address.
NAME = re.compile(
    r"(?:[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?"
)
UNICAST = ipaddress.IPv6Network("2000::/3")
SIX_TO_FOUR = ipaddress.IPv6Network("2002::/16")
NAT64 = ipaddress.IPv6Network("64:ff9b::/96")

_places = threading.BoundedSemaphore(MOST_AT_ONCE)
# urllib3 logs the address of an answer whose headers it cannot read.
logging.getLogger("urllib3.connection").addFilter(lambda record: False)


class Reason(models.TextChoices):
    """Why a request was not sent, or got no answer. The values are stored."""

    INCOMPLETE = "incomplete", _("This is not a complete web address.")
    NOT_HTTPS = "not_https", _("The address must start with https://.")
    WITH_USER = "with_user", _("The address must not contain a user name or a password.")
    OTHER_PORT = "other_port", _("The address must use the usual port of HTTPS, 443.")
    NOT_PUBLIC = "not_public", _("This address does not belong to a public server.")
    UNKNOWN_NAME = "unknown_name", _("No server has this name.")
    NO_CONNECTION = "no_connection", _("The server accepts no connection.")
    BAD_CERTIFICATE = "bad_certificate", _("The server’s certificate is not valid for its name.")
    TOO_SLOW = "too_slow", _("The server did not answer within five seconds.")
    NO_ANSWER = "no_answer", _("The server broke off, or its answer cannot be read.")


class NotSent(Exception):
    """Raised when there is no answer; ``reason`` tells why, without any part of the address."""

    def __init__(self, reason: Reason) -> None:
        super().__init__(reason)
        self.reason = reason

    def __str__(self) -> str:
        return str(self.reason.label)


class Refused(NotSent):
    """Raised for an address to which the site sends nothing, before it connects."""


class Unreachable(NotSent):
    """Raised for a failure on the way; the request may have arrived all the same."""


@dataclass(frozen=True)
class Sending:
    """A request to send. ``longest``: the bytes of the answer that are read."""

    method: str
    url: str
    headers: Mapping[str, str]
    body: bytes
    longest: int = LONGEST_ANSWER


@dataclass(frozen=True)
class Answer:
    """A server's answer, whatever its status. ``headers``: by lower-case name; ``body``: at most
    its first bytes, as many as the request wants, as they were sent."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class _Target:
    """The parts of a checked address. ``host``: a name, or an IP address without brackets."""

    host: str
    path: str

    @property
    def host_header(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


def send(sending: Sending) -> Answer:
    """Send a request to a public server and return its answer, at the latest after ``DEADLINE``.

    Raises Refused if the site must not send anything there, and Unreachable if no answer came.
    """
    target = _parse(sending.url)
    if not _places.acquire(timeout=DEADLINE):
        raise Unreachable(Reason.TOO_SLOW)
    exchange = _Exchange(target, sending)
    threading.Thread(target=exchange.run, name="outbound", daemon=True).start()
    try:
        outcome = exchange.outcome.get(timeout=DEADLINE)
    except queue.Empty:
        exchange.abandon()
        outcome = Unreachable(Reason.TOO_SLOW)
    if isinstance(outcome, BaseException):
        raise outcome from None
    return outcome


def check_address(url: str) -> str:
    """Return the host of an address as it is written, in lower case; look nothing up.

    Raises Refused if ``send`` would refuse the address however its name is resolved.
    """
    return _parse(url).host


def is_public(address: str) -> bool:
    """Whether an IP address belongs to the public internet, also where it contains another one."""
    found = ipaddress.ip_address(address)
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped
        if inner is None and found in NAT64:
            inner = ipaddress.IPv4Address(int(found) & 0xFFFFFFFF)
        if inner is None:
            is_reachable = found in UNICAST and found not in SIX_TO_FOUR and found.scope_id is None
            return is_reachable and found.is_global
        return inner.is_global and not inner.is_multicast
    return found.is_global and not found.is_multicast


def _parse(url: str) -> _Target:
    """Take an address apart. Raises Refused."""
    if len(url) > LONGEST_ADDRESS or not PRINTABLE.fullmatch(url):
        raise Refused(Reason.INCOMPLETE)
    try:
        parts = urlsplit(url)
        port, host = parts.port, parts.hostname
    except ValueError:
        raise Refused(Reason.INCOMPLETE) from None
    if not parts.scheme or not host:
        raise Refused(Reason.INCOMPLETE)
    if parts.scheme != "https":
        raise Refused(Reason.NOT_HTTPS)
    if "@" in parts.netloc:
        raise Refused(Reason.WITH_USER)
    if port not in (None, PORT):
        raise Refused(Reason.OTHER_PORT)
    host = host.rstrip(".")
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        if not NAME.fullmatch(host) or len(host) > 253:
            raise Refused(Reason.NOT_PUBLIC) from None
    else:
        if not is_public(host):
            raise Refused(Reason.NOT_PUBLIC)
        host = str(address)
    path = parts.path or "/"
    return _Target(host, f"{path}?{parts.query}" if parts.query else path)


def _resolve(host: str) -> list[str]:
    """Return the IP addresses of a host, in the order to try them. Raises OSError."""
    rows = socket.getaddrinfo(host, PORT, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(row[4][0]) for row in rows))


def _dial(address: str, timeout: float) -> socket.socket:
    """Connect to an IP address. Raises OSError."""
    return socket.create_connection((address, PORT), timeout)


@cache
def _tls() -> ssl.SSLContext:
    """Return the settings of TLS with the system's authorities."""
    return ssl.create_default_context()


class _Connection(HTTPSConnection):
    """A connection over a socket that is already connected to the checked IP address."""

    def __init__(self, target: _Target, connected: socket.socket) -> None:
        super().__init__(
            target.host,
            PORT,
            timeout=DEADLINE,
            server_hostname=target.host,
            ssl_context=_tls(),
        )
        self._connected = connected

    def _new_conn(self) -> socket.socket:
        return self._connected


class _Exchange:
    """One request, carried out in a thread, so that its caller can leave at the deadline.

    ``outcome`` gets an answer or an exception.
    """

    def __init__(self, target: _Target, sending: Sending) -> None:
        self.outcome: queue.SimpleQueue[Answer | BaseException] = queue.SimpleQueue()
        self._target = target
        self._sending = sending
        self._ends = time.monotonic() + DEADLINE
        self._lock = threading.Lock()
        self._is_abandoned = False
        self._handle: socket.socket | None = None

    def run(self) -> None:
        """Carry the request out."""
        try:
            self.outcome.put(self._carry_out())
        except NotSent as error:
            self.outcome.put(error)
        except ssl.SSLCertVerificationError:
            self.outcome.put(Unreachable(Reason.BAD_CERTIFICATE))
        except TimeoutError:
            self.outcome.put(Unreachable(Reason.TOO_SLOW))
        except (OSError, http.client.HTTPException, urllib3.exceptions.HTTPError):
            self.outcome.put(Unreachable(Reason.NO_ANSWER))
        except BaseException as error:
            self.outcome.put(error)
        finally:
            if self._handle is not None:
                self._handle.close()
            _places.release()

    def abandon(self) -> None:
        """End the connection, at whatever point it is."""
        with self._lock:
            self._is_abandoned = True
            if self._handle is not None:
                with contextlib.suppress(OSError):
                    self._handle.shutdown(socket.SHUT_RDWR)

    def _carry_out(self) -> Answer:
        sending = self._sending
        connection = _Connection(self._target, self._connect())
        try:
            connection.request(
                sending.method,
                self._target.path,
                sending.body,
                {
                    "Host": self._target.host_header,
                    "User-Agent": f"Skirmish/{settings.VERSION}",
                    "Accept-Encoding": "identity",
                    "Connection": "close",
                    **sending.headers,
                },
                preload_content=False,
                decode_content=False,
            )
            response = connection.getresponse()
            read = response.read(sending.longest, decode_content=False)
            found = {name.lower(): value for name, value in response.headers.items()}
            return Answer(response.status, found, read)
        finally:
            connection.close()

    def _connect(self) -> socket.socket:
        """Connect to the first of the host's IP addresses that answers; all must be public."""
        host = self._target.host
        try:
            addresses = _resolve(host)
        except OSError:
            raise Unreachable(Reason.UNKNOWN_NAME) from None
        if not addresses:
            raise Unreachable(Reason.UNKNOWN_NAME)
        if not all(map(is_public, addresses)):
            raise Refused(Reason.NOT_PUBLIC)
        for address in addresses:
            left = self._ends - time.monotonic()
            if left <= 0 or self._is_abandoned:
                raise Unreachable(Reason.TOO_SLOW)
            try:
                connected = _dial(address, min(left, CONNECT_WITHIN))
            except OSError:
                continue
            # TLS takes the socket over, so a copy remains to end the connection from outside.
            with self._lock:
                self._handle = connected.dup()
                if self._is_abandoned:
                    connected.close()
                    raise Unreachable(Reason.TOO_SLOW)
            connected.settimeout(DEADLINE)
            return connected
        raise Unreachable(Reason.NO_CONNECTION)
