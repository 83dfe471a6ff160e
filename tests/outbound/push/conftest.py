"""A phone that gets notices, and its push service."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.test import Client
from py_vapid import jwt
from py_vapid.utils import b64urlencode

from accounts.models import User
from outbound.push import keys
from outbound.push.models import PushDevice
from tests.outbound.servers import Internet, Request, Server, serving

SECRET = bytes(range(16))
HOST = "push.example"


@dataclass
class Phone:
    """A browser: it knows its address and keys, and reads what its push service got for it."""

    name: str = "phone"
    host: str = HOST
    private: ec.EllipticCurvePrivateKey = field(
        default_factory=lambda: ec.generate_private_key(ec.SECP256R1())
    )

    @property
    def subscription(self) -> dict[str, str]:
        """The fields that its page sends."""
        point = self.private.public_key().public_bytes(
            Encoding.X962, PublicFormat.UncompressedPoint
        )
        return {
            "endpoint": f"https://{self.host}/{self.name}",
            "p256dh": b64urlencode(point),
            "auth": b64urlencode(SECRET),
        }

    def read(self, request: Request) -> dict[str, Any]:
        """Decrypt a message, as the browser does."""
        assert request.headers["content-encoding"] == "aes128gcm"
        text = http_ece.decrypt(request.body, private_key=self.private, auth_secret=SECRET)
        found: dict[str, Any] = json.loads(text)
        return found


def claims_of(request: Request) -> dict[str, Any]:
    """Check the site's signature, and return what it signed."""
    scheme, _space, parts = request.headers["authorization"].partition(" ")
    assert scheme == "vapid"
    values = dict(part.split("=", 1) for part in parts.split(","))
    assert values["k"] == keys.public_key()
    found: dict[str, Any] = jwt.decode(values["t"], values["k"])
    return found


@pytest.fixture(autouse=True)
def _data_folder(settings: Any, tmp_path: Path) -> None:
    settings.DATA_DIR = tmp_path / "data"
    settings.SITE_URL = "https://gangs.example.org"


@pytest.fixture
def phone() -> Phone:
    """Alice's phone."""
    return Phone()


@pytest.fixture
def push_service(internet: Internet, tmp_path: Path) -> Iterator[Server]:
    """The server to which the site sends messages for the phone."""
    with serving(internet, tmp_path, HOST) as server:
        yield server


@pytest.fixture
def browser(client: Client, alice: User, phone: Phone) -> Client:
    """Alice's browser, which shows notices."""
    client.force_login(alice)
    client.post("/notices/devices/", phone.subscription, HTTP_USER_AGENT="Firefox/140 Android")
    return client


@pytest.fixture
def device(browser: Client) -> PushDevice:
    """The phone as the site knows it."""
    return PushDevice.objects.get()
