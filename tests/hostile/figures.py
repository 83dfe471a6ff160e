"""The results of a run, as a table."""

from __future__ import annotations

from collections import Counter

from tests.hostile.judge import Judge

KINDS = {
    "done or shown (2xx)": range(200, 300),
    "led on (3xx)": range(300, 400),
    "refused beside the field (422)": (422,),
    "out of date (409)": (409,),
    "not found (404)": (404,),
    "other 4xx": range(400, 500),
    "to be asked again (503)": (503,),
    "errors (5xx)": range(500, 600),
}


def table(judge: Judge, title: str, elapsed: float, growth: float | None) -> str:
    """Format the figures as Markdown."""
    rest = Counter(judge.statuses)
    rows = [("requests", f"{judge.requests:,}"), ("seconds", f"{elapsed:,.0f}")]
    rows.append(("requests a second", f"{judge.requests / max(elapsed, 1):.0f}"))
    rows.append(("reached a form's own checks", f"{share(judge):.0%}"))
    rows.append(("sent to a form as its owner", f"{judge.own:,}"))
    rows.append(("different forms", str(len(judge.forms))))
    rows.append(("different addresses", str(len([name for name in judge.addresses if name]))))
    shelves = " / ".join(f"{judge.shelves[name]:,}" for name in ("looked at", "came", "taken"))
    rows.append(("hostile shelves looked at / games that came / taken", shelves))
    for name, statuses in KINDS.items():
        rows.append((name, f"{sum(rest.pop(status, 0) for status in statuses):,}"))
    rows.append(("cut off or against the protocol", f"{judge.cut:,}"))
    times = sorted(judge.seconds) or [0.0]
    for name, part in (("p50", 0.5), ("p95", 0.95), ("p99", 0.99), ("slowest", 1)):
        rows.append((name, f"{times[min(len(times) - 1, int(len(times) * part))] * 1000:,.0f} ms"))
    rows.append(("most work for one", f"{max(judge.computed, default=0) * 1000:,.0f} ms"))
    rows.append(("slow once, not again", str(len(judge.waited))))
    grown = "not watched for so few requests" if growth is None else f"{growth:.0f} MB"
    rows.append(("a worker's memory grew by at most", grown))
    rows.append(("kinds of failure", str(len(judge.failures))))
    lines = [f"| {title} | |", "| --- | ---: |", *(f"| {name} | {value} |" for name, value in rows)]
    return "\n".join([*lines, "", *(f"Slow once: {told}" for told in judge.waited)])


def share(judge: Judge) -> float:
    """Return the share of the attack that a form's own checks answered, as its owner."""
    return judge.reached / max(1, judge.attacked)
