"""Replays a request that failed in a new world."""

from __future__ import annotations

from pathlib import Path

from tests.hostile import club, requests
from tests.hostile.attacks import Attacker
from tests.hostile.judge import Judge
from tests.hostile.requests import Request
from tests.hostile.site import Site


def replay(site: Site, kept: Path) -> int:
    """Send the requests kept in the file as the same people of a new club, with the tokens and
    versions of its pages. Return 1 if they fail again.
    """
    judge = Judge(kept.parent / "again")
    for number in range(len(club.SLUGS)):
        attacker = Attacker(number, "again", site.port, judge)
        text = kept.read_text()
        for request in requests.read(text, attacker.club.names):
            browser = attacker.people.get(request.person, attacker.people["owner"])
            if request.method == "RAW":
                continue
            answer = browser.send(_fresh(request, attacker))
            print(f"{answer.status if answer else 'no answer'}: {request}")
            if answer is not None and "location" in answer.headers:
                browser.get(answer.headers["location"])
        if judge.failures:
            break
    for failure in judge.failures.values():
        print(f"\n{failure}")
    return bool(judge.failures)


def _fresh(request: Request, attacker: Attacker) -> Request:
    """Return the request with the tokens of the page as it is now."""
    browser = attacker.people.get(request.person, attacker.people["owner"])
    if not request.kept:
        return request
    browser.get(request.page)
    for form in browser.forms.get(request.page, ()):
        names = {each.name for each in form.fields}
        if form.action == request.path and set(request.kept) <= names:
            return requests.again(request, [(each.name, each.value) for each in form.fields])
    return request
