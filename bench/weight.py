"""Measure the bytes a browser fetches for our pages, compressed as they travel.

.venv/bin/python bench/weight.py

Fills a site of its own with the demo, requests its main pages with headless Chromium, each with an
empty cache, and sums the bytes fetched. Pages count with gzip, static text with brotli, fonts and
pictures as they are.
"""

from __future__ import annotations

import gzip
import os
import secrets
import subprocess
import sys
import tempfile
import time
import tomllib
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

import brotli
from playwright.sync_api import Response, sync_playwright

ROOT = Path(__file__).resolve().parent.parent
PORT = 8799
BASE = f"http://127.0.0.1:{PORT}"
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
TEXT = ("text/", "application/javascript", "image/svg")
PHONE: Any = {"width": 375, "height": 812}
# Words of single games in the yardsticks.
GAMES: dict[str, Any] = tomllib.loads((ROOT / "bench" / "games.toml").read_text("utf-8"))
# Pages by name, each found from the page before it by a matching link.
PAGES = {
    "front page": "/",
    "my gangs": "/gangs/",
    "gang": "a[href^='/gangs/']:not([href$='/new/']):not([href$='/import/']).tile-link",
    "sheet": "a[href$='/sheet/']",
    "rules": "/rules/",
    "a chapter": "/rules/{slug}/items/",
    "campaigns": "/campaigns/",
    "campaign": "a[href^='/campaigns/'].tile-link",
    "chronicle": "{campaign}chronicle/",
    "charts": "{campaign}charts/",
}


@contextmanager
def site(debug: bool = False) -> Iterator[None]:
    """Serve the demo as ``script/server`` does: compressed files that browsers keep.

    With ``debug``, serve it as for a developer, who also sees the page of components.
    """
    with tempfile.TemporaryDirectory() as folder:
        env = os.environ | {"DATA_DIR": folder, "DATABASE_URL": "", "HTTPS": "0", "SITE_URL": BASE}
        env |= {"SECRET_KEY": secrets.token_urlsafe(64), "STATIC_ROOT": f"{folder}/static"}
        env["DEBUG"] = "1" if debug else ""
        manage = [sys.executable, str(ROOT / "manage.py")]
        prepare = [*manage, "prepare", "--static", "--demo"]
        subprocess.run(prepare, env=env, check=True, capture_output=True)
        gunicorn = [sys.executable, "-m", "gunicorn", "--bind", f"127.0.0.1:{PORT}"]
        serve = [*gunicorn, "--chdir", str(ROOT), "skirmish.wsgi"]
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(serve, env=env, **quiet) as process:
            try:
                _until_served()
                yield
            finally:
                process.terminate()


def _until_served() -> None:
    for _ in range(60):
        try:
            urllib.request.urlopen(f"{BASE}/health/", timeout=1).close()
        except OSError:
            time.sleep(0.5)
        else:
            return
    raise SystemExit("the site does not answer")


def weight(response: Response) -> tuple[str, int]:
    """Add up the bytes fetched, by kind."""
    kind = response.headers.get("content-type", "")
    body = response.body()
    if kind.startswith("font/") or ".woff2" in response.url:
        return "fonts", len(body)
    if not kind.startswith(TEXT):
        return "other", len(body)
    if "html" in kind:
        return "page", len(gzip.compress(body, 6))
    # Static files are compressed when they are collected; the games' stylesheets are not.
    is_static = "/static/" in response.url
    return "styles and scripts", len(brotli.compress(body) if is_static else body)


def main() -> None:
    """Print a table of the pages."""
    with site(), sync_playwright() as tool:
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        context = browser.new_context(viewport=PHONE, service_workers="block")
        page = context.new_page()
        page.goto(f"{BASE}/accounts/login/")
        page.fill("[name=login]", "alice")
        page.fill("[name=password]", "skirmish-demo")
        page.click("main button[type=submit]")
        cookies = context.cookies()
        addresses: dict[str, str] = {}
        for name, where in PAGES.items():
            if where.startswith(("/", "{")):
                address = where.format_map(addresses)
            else:
                address = page.locator(where).first.get_attribute("href") or ""
            addresses[name] = urljoin(BASE, address)
            page.goto(addresses[name])
            if name == "rules":
                link = page.locator("a.tile-link").first.get_attribute("href") or ""
                addresses["slug"] = link.strip("/").split("/")[-1]
        heads = ("page", "styles", "fonts", "pictures", "first", "again")
        print(f"{'':14}" + "".join(f"{head:>9}" for head in heads) + "   (KiB)")
        for name in PAGES:
            fresh = browser.new_context(viewport=PHONE, service_workers="block")
            # The front page is for visitors; signed-in users find their gangs there.
            fresh.add_cookies([] if name == "front page" else cookies)
            told: dict[str, int] = {}
            tab = fresh.new_page()
            seen: list[Response] = []
            tab.on("response", lambda response, seen=seen: seen.append(response))
            tab.goto(addresses[name], wait_until="networkidle")
            for response in seen:
                sort, size = weight(response)
                told[sort] = told.get(sort, 0) + size
            # In production, static files have a name for each version, so they come from the
            # browser's cache; only the page itself is requested again.
            again = told["page"]
            shares = [
                told.get(sort, 0) for sort in ("page", "styles and scripts", "fonts", "other")
            ]
            row = [*shares, sum(told.values()), again]
            print(f"{name:14}" + "".join(f"{size / 1024:9.1f}" for size in row))
            fresh.close()
        browser.close()


if __name__ == "__main__":
    main()
