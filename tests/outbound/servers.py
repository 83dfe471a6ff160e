"""A small internet for tests: names, public IP addresses, and TLS servers of this machine behind
them."""

from __future__ import annotations

import contextlib
import datetime
import ipaddress
import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID
from django.utils import timezone

from common.models import Job
from outbound.models import Hook, PushDevice
from outbound.recipients import Host

# A public IP address. Nothing in a test connects to it: ``Internet.dial`` leads elsewhere.
PUBLIC = "93.184.215.14"


@dataclass(frozen=True)
class Request:
    """A request as a server read it. ``headers``: by lower-case name."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


type Respond = Callable[[Request], bytes]


def answer(status: int = 200, body: bytes = b"", **headers: str) -> bytes:
    """Write an HTTP answer; ``_`` in a header's name stands for ``-``."""
    lines = [f"HTTP/1.1 {status} Words", f"Content-Length: {len(body)}"]
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return "\r\n".join([*lines, "", ""]).encode() + body


class Authority:
    """A certificate authority that only the tests trust."""

    def __init__(self) -> None:
        self._key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "The authority of the tests")])
        self._name = name
        self.certificate = self._sign(
            name, self._key, x509.BasicConstraints(ca=True, path_length=None)
        )
        self._contexts: dict[tuple[str, ...], ssl.SSLContext] = {}

    def trusting(self) -> ssl.SSLContext:
        """Return a client's settings that trust only this authority."""
        return ssl.create_default_context(cadata=self.pem)

    @property
    def pem(self) -> str:
        """The authority's certificate, as a client reads it."""
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode("ascii")

    def serving(self, folder: Path, *names: str) -> ssl.SSLContext:
        """Return a server's settings with a certificate for these names and IP addresses."""
        if names not in self._contexts:
            key = ec.generate_private_key(ec.SECP256R1())
            subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "A server")])
            made = self._sign(subject, key, x509.SubjectAlternativeName(map(_general, names)))
            file = folder / "server.pem"
            private = key.private_bytes(
                serialization.Encoding.PEM,
                serialization.PrivateFormat.PKCS8,
                serialization.NoEncryption(),
            )
            file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(file)
            self._contexts[names] = context
        return self._contexts[names]

    def _sign(
        self, subject: x509.Name, key: ec.EllipticCurvePrivateKey, extension: x509.ExtensionType
    ) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        own = x509.SubjectKeyIdentifier.from_public_key(key.public_key())
        issuer = x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key())
        builder = (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self._name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(days=1))
            .not_valid_after(now + datetime.timedelta(days=1))
            .add_extension(extension, critical=isinstance(extension, x509.BasicConstraints))
            .add_extension(own, critical=False)
            .add_extension(issuer, critical=False)
        )
        if isinstance(extension, x509.BasicConstraints):
            usage = x509.KeyUsage(
                *(name in {"key_cert_sign", "crl_sign"} for name in _USES)  # type: ignore[arg-type]
            )
            builder = builder.add_extension(usage, critical=True)
        return builder.sign(self._key, hashes.SHA256())


_USES = (
    "digital_signature",
    "content_commitment",
    "key_encipherment",
    "data_encipherment",
    "key_agreement",
    "key_cert_sign",
    "crl_sign",
    "encipher_only",
    "decipher_only",
)


def _general(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        return x509.DNSName(name)


@cache
def authority() -> Authority:
    """Return the authority of this run."""
    return Authority()


class Server:
    """A TLS server in a thread. ``respond`` writes the answer to a request; ``talk`` replaces the
    whole conversation after TLS."""

    def __init__(self, context: ssl.SSLContext | None) -> None:
        self.requests: list[Request] = []
        self.respond: Respond = lambda request: answer()
        self.talk: Callable[[socket.socket], None] = self._talk
        self.closing = threading.Event()
        self._context = context
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listening.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        """End all conversations."""
        self.closing.set()
        self._listening.close()

    def _accept(self) -> None:
        while True:
            try:
                connection, _address = self._listening.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        with contextlib.suppress(OSError), connection:
            if self._context is None:
                self.talk(connection)
                return
            with self._context.wrap_socket(connection, server_side=True) as secure:
                self.talk(secure)

    def _talk(self, connection: socket.socket) -> None:
        connection.sendall(self.respond(self.read(connection)))

    def read(self, connection: socket.socket) -> Request:
        """Read a request and keep it."""
        with connection.makefile("rb") as stream:
            method, path, _version = stream.readline().decode("ascii").split()
            headers: dict[str, str] = {}
            while line := stream.readline().decode("latin-1").strip():
                name, _colon, value = line.partition(":")
                headers[name.lower()] = value.strip()
            body = stream.read(int(headers.get("content-length", 0)))
        request = Request(method, path, headers, body)
        self.requests.append(request)
        return request


@dataclass
class Internet:
    """The world outside, for the client.

    ``names``: the IP addresses of a name, one list for each look-up (the last is repeated);
    ``ports``: the server behind an IP address, a port of this machine; ``looked_up``, ``dialled``:
    the client's look-ups and connections.
    """

    names: dict[str, list[list[str]]] = field(default_factory=dict)
    ports: dict[str, int] = field(default_factory=dict)
    looked_up: list[str] = field(default_factory=list)
    dialled: list[str] = field(default_factory=list)

    def resolve(self, host: str) -> list[str]:
        """Answer a look-up; names without an entry are unknown."""
        self.looked_up.append(host)
        with contextlib.suppress(ValueError):
            return [str(ipaddress.ip_address(host))]
        if host not in self.names:
            raise socket.gaierror("unknown")
        answers = self.names[host]
        return answers.pop(0) if len(answers) > 1 else answers[0]

    def dial(self, address: str, timeout: float) -> socket.socket:
        """Connect to the server behind an IP address."""
        self.dialled.append(address)
        if address not in self.ports:
            raise ConnectionRefusedError
        return socket.create_connection(("127.0.0.1", self.ports[address]), timeout)


@contextlib.contextmanager
def serving(
    internet: Internet,
    folder: Path,
    host: str,
    address: str = PUBLIC,
    *,
    names: tuple[str, ...] = (),
) -> Iterator[Server]:
    """Run a server for a host; its certificate is for ``names``, else for the host."""
    server = Server(authority().serving(folder, *(names or (host,))))
    internet.names.setdefault(host, [[address]])
    internet.ports[address] = server.port
    try:
        yield server
    finally:
        server.close()


def let_pauses_pass() -> None:
    """Let the pauses of all hosts, channels, devices and jobs end."""
    now = timezone.now()
    for model in (Host, Hook, PushDevice):
        model.objects.update(not_before=now)
    Job.objects.waiting().update(next_at=now)
