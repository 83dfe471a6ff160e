"""The site's own key, with which it signs its messages to push services (RFC 8292).

Browsers tie a device to this key: with another one, no device gets a message any more. So it is
kept beside the secret key, and backups contain it.
"""

from __future__ import annotations

import os
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from py_vapid import Vapid02
from py_vapid.utils import b64urldecode, b64urlencode

from common.files import keep_names, write_whole

# The file in the data folder.
PUSH_KEY = "push_key"
KEY_LENGTH = 32


def read_key() -> str:
    """Return the site's key as base64url: PUSH_KEY, or else the one in the data folder, made there
    if there is none. Raises OSError if it cannot be written."""
    if settings.PUSH_KEY:
        return str(settings.PUSH_KEY)
    file = settings.DATA_DIR / PUSH_KEY
    if not file.is_file():
        _make(file)
    return file.read_text("utf-8").strip()


def has_key() -> bool:
    """Whether the site has a key already."""
    return bool(settings.PUSH_KEY) or (settings.DATA_DIR / PUSH_KEY).is_file()


def load_key() -> Vapid02:
    """Return the site's key. Raises OSError, and ImproperlyConfigured if it is damaged."""
    return _parse(read_key())


def public_key() -> str:
    """Return the public half of the key as browsers expect it."""
    point = load_key().public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    return str(b64urlencode(point))


def is_key(text: str) -> bool:
    """Whether a text is a key, as a backup may contain one."""
    try:
        _parse(text)
    except ImproperlyConfigured:
        return False
    return True


@lru_cache(maxsize=2)
def _parse(text: str) -> Vapid02:
    try:
        raw = b64urldecode(text.encode("ascii"))
        if len(raw) != KEY_LENGTH:
            raise ValueError("its length is wrong")
        number = int.from_bytes(raw)
        return Vapid02(ec.derive_private_key(number, ec.SECP256R1()))
    except ValueError:
        raise ImproperlyConfigured(
            "The key for push messages is damaged: restore push_key in DATA_DIR from a backup, or"
            " delete it (then everybody has to turn on notices on their devices again)."
        ) from None


def _make(file: Path) -> None:
    """Store a new key, unless another process was faster."""
    number = ec.generate_private_key(ec.SECP256R1()).private_numbers().private_value
    settings.DATA_DIR.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Complete and closed to others before it gets its name.
    with TemporaryDirectory(dir=file.parent, prefix=".push-") as folder:
        new = Path(folder) / PUSH_KEY
        write_whole(new, f"{b64urlencode(number.to_bytes(KEY_LENGTH))}\n".encode())
        os.chmod(new, 0o600)
        with suppress(FileExistsError):
            os.link(new, file)
    keep_names(file.parent)
