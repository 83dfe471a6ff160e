"""Pictures, prints and backups in a bucket, on each local server of S3 that is installed.

Swift is a real object store; moto only behaves like Amazon's. ``script/test --plain`` installs
both.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from accounts.models import User
from administration.archives import daily
from administration.archives.manifest import BadArchive
from administration.archives.reading import verify
from common.storages import FileStore, store
from gangs.models import Gang
from gangs.pictures import storage as pictures_storage
from gangs.pictures.storage import SMALL
from printing import cache as printing_cache
from tests import swift_server
from tests.gangs.pictures.test_pictures import made, small_url
from tests.world.gangs import make_gang

boto3 = pytest.importorskip("boto3")
Bucket = pytest.importorskip("common.bucket").Bucket

pytestmark = [
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
    # The server's threads keep their sockets open until the process ends.
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]

NAME = "skirmish"


@pytest.fixture(scope="module", params=["moto", "swift"])
def endpoint(request: pytest.FixtureRequest) -> Iterator[str]:
    """The address of a local S3 server."""
    if request.param == "swift":
        if not swift_server.is_installed():
            pytest.skip("Swift is not installed: script/test --plain does it")
        swift = swift_server.Swift()
        yield swift.endpoint
        swift.stop()
        return
    moto = pytest.importorskip("moto.server")
    running = moto.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(endpoint: str, settings: Any, monkeypatch: Any, tmp_path: Path) -> Any:
    """An empty bucket with the site's files; the local folder is unusable."""
    for name, value in swift_server.KEYS.items():
        monkeypatch.setenv(name, value)
    settings.DATA_DIR = tmp_path
    settings.STORAGES = settings.STORAGES | {
        name: {
            "BACKEND": "common.bucket.Bucket",
            "OPTIONS": {"bucket": NAME, "location": name, "endpoint": endpoint},
        }
        for name in ("pictures", "prints", "previews")
    }
    found = boto3.resource("s3", endpoint_url=endpoint).Bucket(NAME)
    if found.creation_date is None:
        found.create()
    for old in found.objects.all():
        old.delete()
    return found


def keys(bucket: Any) -> set[str]:
    return {found.key for found in bucket.objects.all()}


def test_bucket_works_like_a_folder(bucket: Any) -> None:
    files: FileStore = store("pictures")
    assert files.read("a") is None
    assert list(files.written()) == []
    files.write("a", b"first")
    files.write("a", b"second")
    assert files.read("a") == b"second"
    assert keys(bucket) == {"pictures/a"}
    assert store("prints").read("a") is None
    [(name, at)] = files.written()
    assert name == "a"
    assert abs(at - time.time()) < 60
    files.delete("a")
    files.delete("a")
    assert keys(bucket) == set()
    with pytest.raises(Exception, match="denied"):
        files.read("../secret")


def test_missing_bucket_raises_a_disk_error(bucket: Any) -> None:
    """Code that handles disk errors handles bucket errors, too."""
    bucket.delete()
    with pytest.raises(OSError, match="the bucket does not answer"):
        store("pictures").write("a", b"content")
    assert printing_cache.read_print("0" * 64) is None


def test_pictures_and_prints_are_stored_in_the_bucket(
    client: Client, alice: User, bucket: Any, tmp_path: Path
) -> None:
    gang = make_gang(alice)
    client.force_login(alice)
    picture = made()
    pictures_storage.keep(gang, None, picture)
    name = pictures_storage.name_of(gang, None)
    assert keys(bucket) == {f"pictures/{name}-{size}.jpg" for size in (SMALL, 480)}
    assert client.get(small_url(gang)).content == picture.files[0]
    printed = client.get(f"/gangs/{gang.pk}/sheet.pdf?style=illustrated&paper=a4")
    assert printed.content.startswith(b"%PDF-")
    assert b"/Image" in printed.content
    [shelved] = [key for key in keys(bucket) if key.startswith("prints/")]
    again = client.get(f"/gangs/{gang.pk}/sheet.pdf?style=illustrated&paper=a4")
    assert again.content == printed.content
    # A spoiled print is made again, and spoiled pictures are treated as missing.
    bucket.put_object(Key=shelved, Body=b"")
    bucket.put_object(Key=f"pictures/{name}-{SMALL}.jpg", Body=b"")
    again = client.get(f"/gangs/{gang.pk}/sheet.pdf?style=illustrated&paper=a4")
    assert again.content == printed.content
    assert client.get(small_url(gang)).status_code == 404
    Gang.objects.update(pictures={})
    pictures_storage.clear(gang.pk, [name])
    assert keys(bucket) == {shelved}
    # Nothing was written to the local disk.
    assert not list(tmp_path.rglob("*"))


def test_bucket_is_tidied_like_a_shelf(bucket: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(printing_cache, "MOST_KEPT", 1)
    for number in range(3):
        printing_cache.store(f"{number:064x}", b"%d" % number)
    assert len(keys(bucket)) == 3
    assert printing_cache.tidy() == 2
    assert len(keys(bucket)) == 1


@pytest.mark.django_db(transaction=True)
def test_daily_backup_in_a_bucket_is_read_back_and_kept_for_days(
    alice: User, bucket: Any, settings: Any, tmp_path: Path, endpoint: str
) -> None:
    settings.BACKUP_DAILY, settings.BACKUP_DAYS = f"s3://{NAME}/of/ours", 2
    settings.S3_ENDPOINT = endpoint
    make_gang(alice)
    today = timezone.localdate()
    for days in (0, 1, 2):
        bucket.put_object(Key=f"of/ours/{daily.name_of(today - timedelta(days=days))}", Body=b"")
    bucket.put_object(Key="of/ours/other", Body=b"")
    figures = daily.back_up_today()
    name, yesterday = daily.name_of(today), daily.name_of(today - timedelta(days=1))
    assert figures["kept"] == 2
    assert keys(bucket) == {"of/ours/other", f"of/ours/{name}", f"of/ours/{yesterday}"}
    file = tmp_path / "fetched.tar.gz"
    file.write_bytes(bucket.Object(f"of/ours/{name}").get()["Body"].read())
    assert verify(file).counts["gangs"] == 1
    # Nothing remains on the local disk.
    assert [path for path in tmp_path.iterdir() if path != file] == []


@pytest.mark.django_db(transaction=True)
def test_daily_backup_that_a_bucket_spoils_is_a_failure(
    bucket: Any, settings: Any, monkeypatch: pytest.MonkeyPatch, endpoint: str
) -> None:
    settings.BACKUP_DAILY, settings.S3_ENDPOINT = f"s3://{NAME}", endpoint
    monkeypatch.setattr(Bucket, "receive", lambda self, name: iter([b"something", b"else"]))
    with pytest.raises(BadArchive, match="returns another file"):
        daily.back_up_today()
    assert keys(bucket) == set()
    bucket.delete()
    with pytest.raises(OSError, match="the bucket"):
        daily.back_up_today()
    assert all(run.error for run in daily.daily_runs())
