"""Files in a bucket that several machines share: Amazon's S3, or whatever speaks like it."""

from __future__ import annotations

import errno
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import Any

from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.utils.deconstruct import deconstructible
from storages.backends.s3 import S3Storage

# Seconds: a page does not wait for longer.
CONNECTING, READING = 3, 10
MISSING = {"NoSuchKey", "404"}


@contextmanager
def _as_os_errors() -> Iterator[None]:
    """Whatever befalls a bucket is told as what befalls a disk would be."""
    try:
        yield
    except (BotoCoreError, ClientError) as error:
        raise OSError(errno.EIO, f"the bucket does not answer: {error}") from error


@deconstructible
class Bucket(S3Storage):  # type: ignore[misc]
    """The part of a bucket whose keys begin with ``location``. Who may ask it is in the variables
    that all programs for S3 read (``AWS_ACCESS_KEY_ID`` ...), or follows from the machine."""

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
                # Servers that are not Amazon's have no name for each bucket.
                s3={"addressing_style": "path" if endpoint else "auto"},
            ),
        )

    @cached_property
    def _client(self) -> Any:
        # One for all threads, which may share it; what the class makes is for one thread each.
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

    def delete(self, name: str) -> None:
        """See ``FileStore``."""
        with _as_os_errors():
            self._client.delete_object(**self._key(name))

    def written(self) -> Iterator[tuple[str, float]]:
        """See ``FileStore``. A request for every thousand of them."""
        start = f"{self.location}/"
        pages = self._client.get_paginator("list_objects_v2")
        with _as_os_errors():
            for page in pages.paginate(Bucket=self.bucket_name, Prefix=start):
                for found in page.get("Contents", ()):
                    yield found["Key"].removeprefix(start), found["LastModified"].timestamp()
