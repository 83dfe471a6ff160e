"""Checks after the attack: memory, pages, ledgers, the log."""

from __future__ import annotations

from io import StringIO
from random import Random

from django.core.management import CommandError, call_command

from campaigns.models import Participant
from gangs.models import Gang
from rules.models import BookDraft, Variant
from tests.hostile import club, figures, memory
from tests.hostile.attacks import Attacker
from tests.hostile.browser import Browser
from tests.hostile.judge import Judge, summary
from tests.hostile.requests import Request
from tests.hostile.site import Site

# The number of gangs, campaigns and variants to open, and the number of pages of each.
MOST_OPENED = 15
MOST_PAGES = 8
# After this many requests, a worker has loaded everything that it loads once.
LONG = 10_000
# The share of the attack's requests that has to reach a form's own checks, as its owner: attackers
# keep to `attacks.SHARE`, which is larger.
LEAST_SHARE = 1 / 3
# An attack with fewer requests shows nothing: its clients have hardly looked around.
ENOUGH = 1000


def check_memory(judge: Judge, watch: memory.Watch, port: int) -> None:
    """Check that no worker has grown too large: by one request, or little by little in a long run.
    In a short run it grows by the modules and data that it loads once.
    """
    if watch.most <= memory.MOST:
        return
    culprits = watch.culprits(port)
    for grown, request in culprits[:5]:
        judge.fail("memory", f"a worker grew by {grown:.0f} MB", [request], {})
    if not culprits and judge.requests - watch.begun > LONG:
        judge.fail("memory", f"a worker grew by {watch.most:.0f} MB, little by little", [], {})


def check_pages(judge: Judge, attackers: list[Attacker]) -> None:
    """Check that owners can open everything that is left."""
    attacker, dice = min(attackers, key=lambda each: each.number), Random(1)
    owned: list[tuple[object, str]] = [
        (gang.owner, gang.get_absolute_url())
        for gang in Gang.objects.filter(owner__isnull=False, owner__stands_for="")
    ]
    owned += [(each.owner, each.get_absolute_url()) for each in Variant.objects.all()]
    owned += [(each.owner, each.get_absolute_url()) for each in BookDraft.objects.all()]
    organisers = Participant.objects.filter(role="organiser", user__is_active=True)
    for seat in organisers.filter(user__stands_for=""):
        owned.append((seat.user, seat.campaign.get_absolute_url()))
    for user, path in dice.sample(owned, min(MOST_OPENED, len(owned))):
        browser = Browser("owner", attacker.send, dice, lambda user=user: club.signed_in(user))
        answer = browser.get(path)
        if answer is not None and answer.status != 200:
            words = f"{answer.status} for whom it belongs to"
            judge.fail("a page that does not open", words, [Request("GET", path)], {})
        inner = [
            link for known in browser.pages.values() for link in known if link.startswith(path)
        ]
        for link in dice.sample(sorted(inner), min(MOST_PAGES, len(inner))):
            if ".pdf" not in link:
                browser.get(link)


def check_replay(judge: Judge) -> None:
    """Check that every gang's snapshot is the fold of its entries."""
    said = StringIO()
    try:
        call_command("replay", stdout=said, stderr=said)
    except CommandError as error:
        judge.fail("replay", f"{error} {said.getvalue()[-1000:]}", [], {})


def check_log(judge: Judge, site: Site) -> None:
    """Check that no worker died, and that no failure is missing from the answers."""
    for failure in site.failures():
        judge.fail("in the log", summary(failure) or failure[:300], [], {})


def check_teeth(judge: Judge) -> None:
    """Check that forms examined enough of the attack's requests, and that owners saw private pages.

    Both are counted, so they do not depend on the machine. An attack that ended before it had sent
    enough requests is not judged.
    """
    if judge.attacked < ENOUGH:
        return
    share = figures.share(judge)
    if share < LEAST_SHARE:
        judge.fail("a toothless attack", f"only {share:.0%} reached a form's own checks", [], {})
    if not judge.shelves["taken"]:
        judge.fail("a toothless attack", "no game came from a shelf", [], {})
    if not judge.shown:
        judge.fail("a toothless attack", "nobody saw what strangers must not see", [], {})
