"""Findings: the variants tried, the site's answers, and the mistakes among them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

from tests.hostile.rulebooks.drawing import Drawn

# The stages of a variant, in order.
REACHED = ("refused", "draft", "published", "played")


@dataclass
class Tried:
    """All variants of one shape: how far they came, and the longest answer to any of them."""

    many: int = 0
    requests: int = 0
    reached: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0
    where: str = ""


@dataclass
class Findings:
    """The results of a run of variants. ``folder``: for files at which the site failed."""

    folder: Path
    shapes: dict[str, Tried] = field(default_factory=dict)
    kept: list[Path] = field(default_factory=list)
    growth: float = 0.0
    # The stage that the last variant reached.
    last: str = ""

    def take(self, drawn: Drawn) -> Tried:
        """Count a variant of its shape."""
        tried = self.shapes.setdefault(drawn.shape, Tried())
        tried.many += 1
        return tried

    def end(self, tried: Tried, stage: str) -> None:
        """Count the stage that a variant reached."""
        tried.reached[stage] += 1
        self.last = stage

    def keep(self, drawn: Drawn) -> Path:
        """Keep the file of a variant at which the site failed."""
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / f"variant-{drawn.number}-{drawn.shape}.json"
        if path not in self.kept:
            path.write_bytes(drawn.content)
            self.kept.append(path)
        return path

    def reached(self, stage: str) -> int:
        """Return the number of variants that came exactly this far."""
        return sum(tried.reached[stage] for tried in self.shapes.values())

    def table(self) -> str:
        """Format the figures as Markdown."""
        head = "| shape | variants | " + " | ".join(REACHED) + " | requests | slowest | where |"
        lines = [head, "| --- |" + " ---: |" * (len(REACHED) + 3) + " --- |"]
        for name, tried in sorted(self.shapes.items()):
            stages = " | ".join(str(tried.reached[stage] or "") for stage in REACHED)
            lines.append(
                f"| {name} | {tried.many} | {stages} | {tried.requests} |"
                f" {tried.slowest:.1f} s | {tried.where} |"
            )
        total = sum(tried.many for tried in self.shapes.values())
        stages = " | ".join(str(self.reached(stage)) for stage in REACHED)
        requests = sum(tried.requests for tried in self.shapes.values())
        worst = max((tried.slowest for tried in self.shapes.values()), default=0.0)
        lines.append(f"| all | {total} | {stages} | {requests} | {worst:.1f} s | |")
        lines.append(f"\nA worker grew by at most {self.growth:.0f} MB.")
        return "\n".join(lines)
