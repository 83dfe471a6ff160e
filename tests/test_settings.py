"""Safe defaults: the settings that the environment may change, and the protections that it cannot
omit.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client


def manage(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run manage.py as an administrator would, with only this environment."""
    keep = {name: os.environ[name] for name in ("PATH", "HOME", "DATA_DIR") if name in os.environ}
    return subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=settings.BASE_DIR,
        env=keep | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_site_refuses_to_start_without_a_secret_key() -> None:
    result = manage("check")
    assert result.returncode != 0
    assert "Set SECRET_KEY" in result.stderr


@pytest.mark.long
def test_production_settings_cause_no_warning() -> None:
    result = manage(
        "check",
        "--deploy",
        "--fail-level=WARNING",
        SECRET_KEY="kq7Vw2nXz8Lr4TyBp6Mc1Hs9Jd3Gf5Ke0Ua-Oi_PxZvNbEtRlYjWqC",
        ALLOWED_HOSTS="skirmish.example",
        EMAIL_HOST="mail.example",
    )
    assert result.returncode == 0, result.stderr


@pytest.mark.long
@pytest.mark.parametrize(
    "proxies,expected", [("", "None"), ("1", "('HTTP_X_FORWARDED_PROTO', 'https')")]
)
def test_headers_of_a_proxy_count_only_when_one_is_configured(proxies: str, expected: str) -> None:
    code = "from django.conf import settings as s; print(s.SECURE_PROXY_SSL_HEADER)"
    result = manage("shell", "-v0", "-c", code, DEBUG="1", TRUSTED_PROXIES=proxies)
    assert result.stdout.strip() == expected


def test_every_answer_carries_a_strict_content_policy(client: Client) -> None:
    policy = client.get("/health/").headers["Content-Security-Policy"]
    assert "default-src 'self'" in policy
    for directive in ("object-src", "base-uri", "frame-ancestors"):
        assert f"{directive} 'none'" in policy
    assert "unsafe" not in policy


@pytest.mark.django_db
def test_pages_contain_no_inline_script_or_style(client: Client) -> None:
    page = client.get("/accounts/login/").content.decode()
    assert "<style" not in page
    assert " style=" not in page
    assert page.count("<script") == len(re.findall(r"<script[^>]* src=", page))
    assert " onclick=" not in page


def test_health_needs_no_account_and_no_database(client: Client) -> None:
    assert client.get("/health/").content == b"ok"


@pytest.mark.django_db
def test_unknown_address_shows_the_site_s_own_page(client: Client) -> None:
    response = client.get("/no/such/page/")
    assert response.status_code == 404
    assert "Page not found" in response.content.decode()


@pytest.mark.django_db
def test_a_form_without_its_token_is_explained() -> None:
    response = Client(enforce_csrf_checks=True).post("/language/", {"language": "fr"})
    assert response.status_code == 403
    assert "This form has expired" in response.content.decode()


def test_pages_are_not_kept_by_shared_caches(client: Client, db: None) -> None:
    assert client.get("/rules/")["Cache-Control"] == "private, no-cache"
    assert "max-age" in client.get("/favicon.ico")["Cache-Control"]


@pytest.mark.long
def test_command_uses_the_site_s_stored_key(tmp_path: Path) -> None:
    """An administrator who types a command beside ``script/server`` means the same site."""
    code = "from django.conf import settings as s; print(s.SECRET_KEY)"
    folder = {"DATA_DIR": str(tmp_path)}
    (tmp_path / "secret_key").write_text("a kept key\n")
    kept = manage("shell", "-v0", "-c", code, **folder)
    assert kept.stdout.strip() == "a kept key"
    assert manage("shell", "-v0", "-c", code, SECRET_KEY="set", **folder).stdout.strip() == "set"
    (tmp_path / "secret_key").write_text("")
    assert "Set SECRET_KEY" in manage("check", **folder).stderr


@pytest.mark.long
def test_quotas_are_set_by_variables() -> None:
    code = "from django.conf import settings as s; print(s.QUOTAS)"
    said = manage("shell", "-v0", "-c", code, DEBUG="1", QUOTA_GANGS="7", QUOTA_VARIANTS="")
    assert "'gangs': 7" in said.stdout and "'variants': 40" in said.stdout


@pytest.mark.django_db
@pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL waits by itself")
def test_sqlite_writes_each_commit_to_the_disk() -> None:
    """FULL (2) in SQLite: a commit ends when the data is on the disk."""
    with connection.cursor() as cursor:
        told = [
            cursor.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("synchronous", "journal_mode")
        ]
    assert told == [2, "wal"]


def test_unknown_log_format_is_rejected() -> None:
    result = manage("check", DEBUG="1", LOG_FORMAT="xml")
    assert result.returncode != 0
    assert "LOG_FORMAT must be lines or json, not xml." in result.stderr
