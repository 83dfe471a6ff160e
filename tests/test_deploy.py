"""The files that run a site: the image, the compose file, the service, the web servers' examples.

``script/image`` tries whether the image builds and answers.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
from django.conf import settings

ROOT = Path(__file__).parents[1]
DEPLOY = ROOT / "deploy"
# Read by the scripts and the servers' settings, not by the site's settings.
OTHERS = {"HOST", "PORT", "PATH", "PYTHONUNBUFFERED", "XDG_CACHE_HOME"}


def read_by_the_site() -> set[str]:
    """Return every environment variable that a setting is made from."""
    text = (ROOT / "skirmish" / "settings.py").read_text("utf-8")
    return set(re.findall(r'(?:environ(?:\.get)?[\[(]|env\w+\()"([A-Z0-9_]+)"', text))


def variables(block: str) -> set[str]:
    return set(re.findall(r"^\s+([A-Z][A-Z0-9_]+):", block, re.M))


def test_site_reads_every_variable_of_the_compose_file() -> None:
    text = (ROOT / "compose.yaml").read_text("utf-8")
    block = text[text.index("environment: &environment") : text.index("volumes:")]
    assert variables(block) and variables(block) <= read_by_the_site()
    # The example file explains exactly the variables that the compose file uses.
    asked = set(re.findall(r"\$\{([A-Z0-9_]+)", text))
    example = (DEPLOY / "site.env.example").read_text("utf-8")
    assert set(re.findall(r"^([A-Z0-9_]+)=", example, re.M)) == asked


def test_no_secret_gets_into_the_image() -> None:
    """``COPY . .`` takes everything that .dockerignore does not name; the secrets are beside
    compose.yaml.
    """
    left_out = (ROOT / ".dockerignore").read_text("utf-8").split()
    assert {".env", "compose.override.yaml", "var", ".git"} <= set(left_out)


def test_image_and_service_set_only_variables_that_are_read() -> None:
    image = (ROOT / "Dockerfile").read_text("utf-8")
    service = (DEPLOY / "skirmish.service").read_text("utf-8")
    for lines in (re.findall(r"^ENV (.*)", image, re.M), re.findall(r"Environment=(.*)", service)):
        named = {part.partition("=")[0] for line in lines for part in line.split()}
        assert named and named <= read_by_the_site() | OTHERS


def test_every_variable_is_explained_to_the_administrator() -> None:
    page = (ROOT / "docs" / "running.md").read_text("utf-8")
    assert {name for name in read_by_the_site() if f"`{name}" not in page} == set()


@pytest.mark.parametrize("path", ["script/server", "deploy/entrypoint", "deploy/skirmish.service"])
def test_every_way_to_start_prepares_the_site_in_one_process(path: str) -> None:
    text = (ROOT / path).read_text("utf-8")
    assert text.count("manage.py prepare") == 1
    assert not re.search(r"manage\.py (?:migrate|books|tidy|demo|collectstatic)", text)


@pytest.mark.parametrize("name", ["Caddyfile", "nginx.conf"])
def test_web_servers_pass_on_the_size_limit_and_headers(name: str) -> None:
    text = (DEPLOY / name).read_text("utf-8")
    found = re.search(r"(?:max_size|client_max_body_size) (\d+)(?:MB|m)", text)
    assert found and int(found[1]) == settings.BIGGEST_BODY // 1_000_000
    if name == "nginx.conf":
        for header in ("Host", "X-Forwarded-For", "X-Forwarded-Proto", "X-Request-ID"):
            assert f"proxy_set_header {header} " in text


def test_each_container_limits_its_log_and_waits_for_the_health_of_others() -> None:
    text = (ROOT / "compose.yaml").read_text("utf-8")
    services = text[text.index("\nservices:") : text.index("\nvolumes:")]
    for block in re.split(r"^  (?=\w+:$)", services, flags=re.M)[1:]:
        assert "<<: *site" in block or "logging: *log" in block, block
    assert "logging: *log" in text[text.index("x-site:") : text.index("\nservices:")]
    assert re.search(r"options: {max-size: \w+, max-file: \S+}", text)
    conditions = re.findall(r"(\w+): {condition: (\w+)}", services)
    assert dict(conditions) == {
        "database": "service_healthy",
        "prepare": "service_completed_successfully",
        "site": "service_healthy",
    }
    assert "depends_on: [" not in services
    assert re.search(r"^HEALTHCHECK ", (ROOT / "Dockerfile").read_text("utf-8"), re.M)


def test_nginx_keeps_no_log_of_addresses_with_keys() -> None:
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    servers = text.split("\nserver {")[1:]
    assert servers and all("\n    access_log off;\n" in server for server in servers)


def test_nginx_speaks_http_2() -> None:
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    assert re.search(r"^    http2 on;$", text[text.index("listen 443") :], re.M)


def test_container_starts_files_that_exist() -> None:
    subprocess.run(["sh", "-n", DEPLOY / "entrypoint"], check=True)
    image = (ROOT / "Dockerfile").read_text("utf-8")
    assert (DEPLOY / "entrypoint").stat().st_mode & 0o111
    for name in re.findall(r"^COPY (?!--from)(.*) \./$", image, re.M)[0].split():
        assert (ROOT / name).is_file()
    folders = re.findall(r"compileall -q (.*)", image)[0].split()
    assert all((ROOT / folder / "__init__.py").is_file() for folder in folders)
