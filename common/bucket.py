"""Files in a bucket shared by several machines: Amazon S3 or a compatible service."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

from boto3.exceptions import S3UploadFailedError
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.utils.deconstruct import deconstructible
from storages.backends.s3 import S3Storage

# Seconds; a page must not wait longer.
CONNECTING, READING = 3, 10
MISSING = {"NoSuchKey", "404"}
# Bytes of a large file that are in memory at the same time.
PIECE = 1 << 20


@contextmanager
def _as_os_errors() -> Iterator[None]:
    """Turn S3 errors into ``OSError``, like disk errors."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise OSError(errno.EIO, f"the bucket does not answer: {error}") from error


@deconstructible
class Bucket(S3Storage):  # type: ignore[misc]
    """The part of a bucket with keys that begin with ``location``.

    Credentials come from the variables that all S3 programs read (``AWS_ACCESS_KEY_ID`` ...) or
    from the machine's role.
    """

    def __init__(self, *, bucket: str, location: str, endpoint: str = "") -> None:
        super().__init__(
            bucket_name=bucket,
            location=location,
            endpoint_url=endpoint or None,
            file_overwrite=True,
            default_acl=None,
            client_config=Config(
                connect_timeout=CONNECTING,
                read_timeout=READING,
                retries={"mode": "standard", "max_attempts": 3},
                # Other S3 servers have no host name for each bucket.
                s3={"addressing_style": "path" if endpoint else "auto"},
            ),
        )

    @cached_property
    def _client(self) -> Any:
        # One client for all threads, which is safe; the base class makes one for each thread.
        return self.connection.meta.client

    def _key(self, name: str) -> dict[str, str]:
        return {"Bucket": self.bucket_name, "Key": self._normalize_name(name)}

    def read(self, name: str) -> bytes | None:
        """See ``FileStore``."""
        with _as_os_errors():
            try:
                content: bytes = self._client.get_object(**self._key(name))["Body"].read()
            except ClientError as error:
                if error.response["Error"]["Code"] in MISSING:
                    return None
                raise
            return content

    def write(self, name: str, content: bytes) -> None:
        """See ``FileStore``."""
        with _as_os_errors():
            self._client.put_object(**self._key(name), Body=content)

    def send(self, name: str, file: Path) -> None:
        """Write a large file in parts, without reading all of it into memory. Raises OSError."""
        with _as_os_errors():
            try:
                self._client.upload_file(str(file), **self._key(name))
            except S3UploadFailedError as error:
                raise OSError(errno.EIO, f"the bucket took no file: {error}") from error

    def receive(self, name: str) -> Iterator[bytes]:
        """Yield the content of a file piece by piece. Raises OSError, even if it is missing."""
        with _as_os_errors():
            body = self._client.get_object(**self._key(name))["Body"]
            yield from body.iter_chunks(PIECE)

    def delete(self, name: str) -> None:
        """See ``FileStore``."""
        with _as_os_errors():
            self._client.delete_object(**self._key(name))

    def written(self) -> Iterator[tuple[str, float]]:
        """See ``FileStore``. One request for each thousand files."""
        start = f"{self.location}/"
        pages = self._client.get_paginator("list_objects_v2")
        with _as_os_errors():
            for page in pages.paginate(Bucket=self.bucket_name, Prefix=start):
                for found in page.get("Contents", ()):
                    yield found["Key"].removeprefix(start), found["LastModified"].timestamp()
