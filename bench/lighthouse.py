"""Compare the main pages' Lighthouse scores on a phone with their goals.

.venv/bin/python bench/lighthouse.py LIGHTHOUSE

LIGHTHOUSE: the program, as npm installs it (``script/test --browser`` does). Fills a site of its
own with the demo, plays a game as far as its post-game, and runs Lighthouse on each page with its
slow phone. Fails if a page misses its goal.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from typing import Any

from journeys import PHONE, Walk, confirmed, planned_games, report
from playwright.sync_api import sync_playwright
from weight import BASE, CHROMIUM, GAMES, site

GOALS = {"performance": 95, "accessibility": 100, "best-practices": 100, "seo": 95}
# Pages that only players can open, so search engines do not matter.
PRIVATE = {"gang", "sheet", "campaign", "post-game"}
# The debugging port of the signed-in player's browser.
PORT = 8798
FLAGS = "--headless=new --no-sandbox --disable-gpu"


def looked_at(program: str, address: str, port: int | None) -> dict[str, int]:
    """Return a page's scores out of 100.

    With ``port``, as seen by the user signed in to the browser that listens there; otherwise by a
    visitor.
    """
    where = [f"--chrome-flags={FLAGS}"] if port is None else [f"--port={port}"]
    answer = subprocess.run(
        [
            program,
            address,
            "--quiet",
            "--output=json",
            f"--only-categories={','.join(GOALS)}",
            *where,
        ],
        env=os.environ | {"CHROME_PATH": CHROMIUM},
        check=True,
        capture_output=True,
        text=True,
    )
    told: dict[str, Any] = json.loads(answer.stdout)
    for audit in told["audits"].values():
        if audit["score"] is not None and audit["score"] < 0.9 and "-v" in sys.argv:
            print("   ", audit["title"], audit.get("displayValue", ""))
    return {name: round(100 * told["categories"][name]["score"]) for name in GOALS}


def pages(walk: Walk, other: Walk) -> dict[str, str]:
    """Return the addresses of the measured pages, by name."""
    walk.sign_in("alice")
    game = planned_games(walk)[0]
    report(walk, game, 2)
    confirmed(walk, other, game)
    post_game = walk.page.locator(".finding a[href*='/postgame/']").first.get_attribute("href")
    campaign = walk.page.locator("main a[href^='/campaigns/'], .band a[href^='/campaigns/']")
    crumb = campaign.first.get_attribute("href")
    walk.open("/gangs/")
    tile = walk.page.locator("main a.tile-link").first.get_attribute("href") or ""
    return {
        "front page": "/",
        "gang": tile,
        "sheet": f"{tile}sheet/",
        "campaign": crumb or "",
        "post-game": post_game or "",
        "rules": f"/rules/{GAMES['shown']['slug']}/",
    }


def main() -> int:
    """Print a table of the pages; return whether all reach their goals."""
    program, fine = sys.argv[1], True
    with site(), sync_playwright() as tool, tempfile.TemporaryDirectory() as profile:
        options: Any = {"viewport": PHONE, "service_workers": "block"}
        flags = ["--no-sandbox", f"--remote-debugging-port={PORT}"]
        mine = tool.chromium.launch_persistent_context(
            profile, executable_path=CHROMIUM, args=flags, **options
        )
        browser = tool.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        walk = Walk(mine.new_page(), False)
        found = pages(walk, Walk(browser.new_context(**options).new_page(), False))
        print(f"{'':14}" + "".join(f"{name:>16}" for name in GOALS))
        for name, path in found.items():
            scores = looked_at(program, f"{BASE}{path}", PORT if name in PRIVATE else None)
            print(f"{name:14}" + "".join(f"{score:16}" for score in scores.values()), flush=True)
            fine &= all(
                scores[goal] >= least
                for goal, least in GOALS.items()
                if not (goal == "seo" and name in PRIVATE)
            )
    return 0 if fine else 1


if __name__ == "__main__":
    sys.exit(main())
