"""The shared cache of all processes: nothing expires early, and a broken cache locks nobody out."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings as site_settings
from django.core.cache import cache
from django.test import Client
from django.utils import timezone

from common import shared_cache
from common.models import CacheEntry

DATABASE = {"BACKEND": "common.shared_cache.SharedDatabaseCache", "LOCATION": "common_cache"}


@pytest.fixture
def in_database(settings: Any, db: None) -> None:
    """The default cache of a site, in the database."""
    settings.CACHES = {"default": DATABASE}


def redis_at(port: int) -> dict[str, dict[str, object]]:
    options = {"socket_timeout": 1, "socket_connect_timeout": 1}
    backend = "common.shared_cache.SharedRedisCache"
    address = f"redis://127.0.0.1:{port}/0"
    return {"default": {"BACKEND": backend, "LOCATION": address, "OPTIONS": options}}


def free_port() -> int:
    with socket.socket() as ours:
        ours.bind(("127.0.0.1", 0))
        port: int = ours.getsockname()[1]
        return port


@pytest.fixture
def redis_server(tmp_path: Any) -> Iterator[int]:
    """Start a Redis server without persistence; yield its port."""
    program = shutil.which("valkey-server") or shutil.which("redis-server")
    if program is None:
        pytest.skip("neither valkey-server nor redis-server is installed")
    port = free_port()
    arguments = ["--port", str(port), "--bind", "127.0.0.1", "--save", "", "--dir", str(tmp_path)]
    server = subprocess.Popen([program, *arguments], stdout=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        yield port
    finally:
        server.kill()
        server.wait()


def check_behaviour() -> None:
    """Assert the behaviour that limits need of a cache."""
    cache.clear()
    assert cache.get("a", 1) == 1
    assert cache.add("a", [1.5]) and not cache.add("a", [2.5])
    assert cache.get("a") == [1.5]
    cache.set("a", [3.5], 60)
    assert cache.get("a") == [3.5] and cache.has_key("a")
    assert cache.delete("a") and cache.get("a") is None


def test_database_cache_behaves_like_a_cache(in_database: None) -> None:
    check_behaviour()


def test_redis_cache_behaves_like_a_cache(redis_server: int, settings: Any) -> None:
    settings.CACHES = redis_at(redis_server)
    check_behaviour()


def test_full_cache_drops_nothing_before_it_expires(in_database: None, settings: Any) -> None:
    settings.CACHES = {"default": {**DATABASE, "OPTIONS": {"MAX_ENTRIES": 5}}}
    for number in range(40):
        cache.set(f"name-{number}", [1.0], 60)
    assert all(cache.get(f"name-{number}") == [1.0] for number in range(40))


def test_expired_entries_are_deleted(in_database: None) -> None:
    cache.set("old", 1, 60)
    CacheEntry.objects.update(expires=timezone.now() - timedelta(seconds=1))
    cache.set("new", 1, 60)
    assert shared_cache.forget_expired() == 1
    assert [row.cache_key for row in CacheEntry.objects.all()] == [":1:new"]


def request_reset(client: Client) -> int:
    """Request a password reset, which has a limit; return the status."""
    answer = client.post("/accounts/password/reset/", {"email": "nobody@example.org"})
    return answer.status_code


def test_limits_are_counted_in_the_cache(in_database: None, client: Client) -> None:
    assert [request_reset(client) for _ in range(7)] == [302] * 5 + [429] * 2
    assert CacheEntry.objects.exists()


@pytest.mark.parametrize("spoiled", ["", "nonsense", "AAAA", "gASVBQAAAA=="])
def test_unreadable_entry_counts_as_empty(in_database: None, client: Client, spoiled: str) -> None:
    for _again in range(6):
        request_reset(client)
    assert CacheEntry.objects.update(value=spoiled)
    assert request_reset(client) == 302


def test_unreachable_redis_locks_nobody_out(client: Client, db: None, settings: Any) -> None:
    settings.CACHES = redis_at(free_port())
    assert [request_reset(client) for _ in range(7)] == [302] * 7


@pytest.mark.parametrize(
    "address,backend,location",
    [
        ("", "common.shared_cache.SharedDatabaseCache", "common_cache"),
        ("redis://cache:6379/1", "common.shared_cache.SharedRedisCache", "redis://cache:6379/1"),
        ("valkey://cache/1", "common.shared_cache.SharedRedisCache", "redis://cache/1"),
        ("valkeys://cache/1", "common.shared_cache.SharedRedisCache", "rediss://cache/1"),
    ],
)
def test_cache_address_selects_the_backend(address: str, backend: str, location: str) -> None:
    code = "import json; from skirmish import settings as s; print(json.dumps(s.CACHES))"
    environment = {**os.environ, "CACHE_URL": address, "DEBUG": "1"}
    ran = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        cwd=site_settings.BASE_DIR,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    default = json.loads(ran.stdout)["default"]
    assert (default["BACKEND"], default["LOCATION"]) == (backend, location)
