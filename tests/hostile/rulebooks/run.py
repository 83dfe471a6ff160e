"""A run of variants: each is visited in turn, the workers are watched, and the results are a
table.
"""

from __future__ import annotations

import sys
from random import Random

from tests.hostile import memory
from tests.hostile.judge import Judge
from tests.hostile.requests import Request, send
from tests.hostile.rulebooks.drawing import draw, draw_shape, shapes
from tests.hostile.rulebooks.findings import Findings
from tests.hostile.rulebooks.visiting import Visit
from tests.hostile.site import Site

# Seconds until an answer is given up: if time is judged, and on a machine that may be slow.
PATIENCE, SLOW_PATIENCE = 10, 60


def try_variants(site: Site, judge: Judge, seed: str, many: int, only: str = "") -> str:
    """Take variants through the site and return the figures. ``only``: variants of one shape."""
    findings = Findings(judge.folder)
    patience = PATIENCE if judge.by_clock else SLOW_PATIENCE
    # The memory that a worker takes for its first answer is not due to a variant.
    for _ in range(4):
        send(site.port, Request("GET", "/rules/"), {})
    # Each run begins elsewhere among the shapes, so that a short run does not always try the same.
    start = Random(seed).randrange(len(shapes()) * 2)
    for number in range(start, start + many):
        drawn = draw_shape(only, seed, number) if only else draw(seed, number)
        watch = memory.Watch(site.workers, judge.requests, judge.recent, judge.flying)
        try:
            Visit(site, judge, findings, drawn, patience).run()
        finally:
            watch.stop()
        print(f"{number} {drawn.shape} on {drawn.on.slug}: {findings.last}", file=sys.stderr)
        findings.growth = max(findings.growth, watch.most)
        if watch.most > memory.MOST:
            kept = findings.keep(drawn)
            words = f"{drawn.shape} on {drawn.on.slug}: {watch.most:.0f} MB [{kept.name}]"
            judge.fail(
                "a worker grew by a variant", words, [Request("POST", "/editor/import/")], {}
            )
    return findings.table()
