"""People who build and play through the sites at random, and note the answers."""

from __future__ import annotations

import io
import random
import re
import threading
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic

from PIL import Image

from tests.two_sites.browser import Answer, Browser, Form, Page, Unanswered

PASSWORD = "correct horse battery staple"
SLUG = "blackwater-gulch"
# Of this many forms, one is sent twice at the same time, to both sites.
DOUBLE = 0.15
# The buttons that move a post-game on, the best first.
FORWARD = ("throw-all", "throw", "choose", "promote", "finish")
MOST_ANSWERS = 150


@dataclass(frozen=True)
class Act:
    """An act that a person requested. ``marker``: a text, or a key, that identifies it.
    ``outcome``: ``done``, ``refused``, or ``unanswered``.
    """

    kind: str
    marker: str
    outcome: str


@dataclass
class Notes:
    """The notes of all people together."""

    acts: list[Act] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    asked: Counter[str] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def act(self, kind: str, marker: str, outcome: str) -> None:
        """Note an act."""
        with self.lock:
            self.acts.append(Act(kind, marker, outcome))

    def fault(self, words: str) -> None:
        """Note something that should never happen."""
        with self.lock:
            self.faults.append(words)


class Person:
    """A person with an account and a gang."""

    def __init__(self, ports: Sequence[int], dice: random.Random, notes: Notes) -> None:
        self.browser = Browser(ports, dice)
        self.dice, self.notes = dice, notes
        self.name = f"p{uuid.UUID(int=dice.getrandbits(128)).hex[:20]}"
        self.gang = ""

    def marker(self) -> str:
        """Return a text that nobody else ever types."""
        return f"m{uuid.UUID(int=self.dice.getrandbits(128)).hex}"

    # Sending

    def send(
        self,
        kind: str,
        marker: str,
        form: Form,
        **values: str | Sequence[str],
    ) -> Answer | None:
        """Send a form, sometimes twice at the same time to both sites, and note the outcome. Return
        the answer that did the act, or None.
        """
        ports = list(self.browser.ports)
        double = kind != "sign up" and len(ports) > 1 and self.dice.random() < DOUBLE
        tries = len(ports) if double else 1
        answers: list[Answer | None] = [None] * tries

        def one(place: int) -> None:
            with suppress(Unanswered):
                answers[place] = self.browser.send(form, port=ports[place], **values)

        self.dice.shuffle(ports)
        threads = [threading.Thread(target=one, args=(place,)) for place in range(tries)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return self._noted(kind, marker, answers)

    def _noted(self, kind: str, marker: str, answers: Sequence[Answer | None]) -> Answer | None:
        done = [answer for answer in answers if answer and answer.status == 302]
        for answer in answers:
            if answer and answer.status >= 500:
                self.notes.fault(f"{answer.status} for {kind}: {_said(answer)}")
        if done:
            outcome = "done"
        elif None in answers or any(answer and answer.status >= 500 for answer in answers):
            outcome = "unanswered"
        else:
            outcome = "refused"
        self.notes.act(kind, marker, outcome)
        self.notes.asked[kind] += 1
        return done[0] if done else None

    def until_done[T](self, what: Callable[[], T | None]) -> T:
        """Try again until it is done: a site may be dead at the moment."""
        for _try in range(200):
            try:
                found = what()
            except Unanswered:
                found = None
            if found is not None:
                return found
        raise AssertionError("it was never done")

    def page(self, path: str) -> Page:
        """Return a page, from any site that answers."""
        self.notes.asked["page"] += 1
        return self.until_done(lambda: self.browser.get(path))

    # Acting on pages

    def arrive(self) -> None:
        """Sign up and found a gang."""

        def signed_up() -> bool | None:
            form = self.browser.get("/accounts/signup/").form("signup")
            values = {"username": self.name, "password1": PASSWORD, "password2": PASSWORD}
            if self.send("sign up", self.name, form, **values):
                return True
            # Perhaps the site was killed just after it had stored the gang.
            form = self.browser.get("/accounts/login/").form("login")
            answer = self.browser.send(form, login=self.name, password=PASSWORD)
            return True if answer.status == 302 else None

        self.until_done(signed_up)

        def founded() -> str | None:
            page = self.browser.get(f"/gangs/new/{SLUG}/")
            form = next(f for f in page.forms if any(name == "sample" for name, _ in f.buttons))
            [(_name, sample)] = form.buttons
            answer = self.send("found", self.name, form, sample=sample)
            return answer.location.partition("?")[0] if answer else None

        self.gang = self.until_done(founded)

    def fiddle(self) -> None:
        """Make any one change to the gang, or a print of it."""
        what = self.dice.choice(["recruit", "recruit", "rename", "rename", "badge", "print"])
        marker = self.marker()
        if what == "print":
            self.printed(f"{self.gang}sheet.pdf?style=illustrated&paper=a4")
        elif what == "badge":
            self.badge()
        elif what == "recruit":
            form = self.page(self.gang).form(f"{self.gang}members/", "rank")
            rank = self.dice.choice(form.choices["rank"])
            self.send("recruit", marker, form, name=marker, rank=rank)
        else:
            form = self.page(f"{self.gang}about/").form(f"{self.gang}about/")
            self.send("rename", marker, form, name=marker)

    def badge(self) -> None:
        """Put up a badge of a random colour."""
        form = self.page(f"{self.gang}badge/").form("badge")
        file = io.BytesIO()
        colour = tuple(self.dice.randrange(256) for _ in range(3))
        Image.new("RGB", (200, 200), colour).save(file, "JPEG")
        try:
            answer: Answer | None = self.browser.upload(form, "picture", file.getvalue())
        except Unanswered:
            answer = None
        self._noted("badge", self.gang, [answer])

    def printed(self, path: str, port: int | None = None) -> bytes:
        """Request a print and wait for it; from one of the sites, if it is named."""
        self.notes.asked["print"] += 1
        until = monotonic() + 120
        while monotonic() < until:
            try:
                answer = self.browser.ask(path, port=port, accept="application/pdf")
            except Unanswered:
                continue
            if answer.status == 200:
                assert answer.content.startswith(b"%PDF-") and b"%%EOF" in answer.content[-1024:]
                return answer.content
            if answer.status != 503:
                raise AssertionError(f"{answer.status} for {path}: {_said(answer)}")
            threading.Event().wait(0.3)
        raise AssertionError(f"{path} was never printed")


class Table:
    """Two people, and the campaign in which they play."""

    def __init__(self, ports: Sequence[int], dice: random.Random, notes: Notes) -> None:
        self.people = [Person(ports, random.Random(dice.getrandbits(64)), notes) for _ in "ab"]
        self.dice, self.notes = dice, notes
        self.campaign = ""

    def sit_down(self) -> None:
        """Sign both people up with gangs; the first starts a campaign, and both join it."""
        for person in self.people:
            person.arrive()
        host = self.people[0]

        def started() -> str | None:
            form = host.browser.get(f"/campaigns/new/{SLUG}/").form("/campaigns/new/")
            answer = host.send("campaign", host.name, form, name=f"Table of {host.name}")
            return answer.location if answer else None

        self.campaign = host.until_done(started)
        people = host.page(f"{self.campaign}people/")
        key = re.search(r"/join/([\w-]+)/", people.text)
        assert key, "no invitation"
        for person in self.people:

            def joined(person: Person = person) -> bool | None:
                page = person.browser.get(f"/campaigns/join/{key[1]}/")
                # If the site was killed just after it had stored the player, no gang is left to
                # choose.
                found = [form for form in page.forms if "gang" in form.choices]
                if not found:
                    return True
                form = found[0]
                gang = form.choices["gang"][0]
                return True if person.send("join", person.name, form, gang=gang) else None

            person.until_done(joined)

    def play(self) -> None:
        """Play a game from its plan to both post-games, with everything that people do in
        between.
        """
        host, guest = self.dice.sample(self.people, 2)

        def planned() -> str | None:
            form = host.browser.get(f"{self.campaign}games/new/").form("games/new")
            gangs = form.choices["gangs"]
            answer = host.send("plan", self.campaign, form, gangs=gangs)
            return answer.location if answer else None

        game = host.until_done(planned)
        self.fiddle()
        self._settle(game, host, guest)
        for person in self.people:
            self._postgame(game, person)
        self.fiddle()

    def fiddle(self) -> None:
        """Let both people change something at the same time."""
        threads = [threading.Thread(target=self._guarded, args=(each,)) for each in self.people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _guarded(self, person: Person) -> None:
        try:
            for _time in range(self.dice.randrange(3)):
                person.fiddle()
        except Exception as error:
            self.notes.fault(f"{type(error).__name__}: {error}")

    def _settle(self, game: str, host: Person, guest: Person) -> None:
        """Report as the host and confirm as the guest."""

        def reported() -> bool | None:
            page = host.browser.get(f"{game}report/")
            forms = [form for form in page.forms if form.action.endswith("/report/")]
            if not forms or "/report/" not in page.address:
                return True
            form = forms[0]
            values = _fallen(form, self.dice)
            return True if host.send("report", game, form, **values) else None

        def confirmed() -> bool | None:
            page = guest.browser.get(game)
            forms = [form for form in page.forms if form.action.endswith("/verdict/")]
            able = [form for form in forms if ("confirm", "1") in form.buttons]
            if not able:
                return True
            return True if guest.send("confirm", game, able[0], confirm="1") else None

        host.until_done(reported)
        guest.until_done(confirmed)

    def _postgame(self, game: str, person: Person) -> None:
        """Answer every question at random, and commit the post-game to the gang's history."""
        page = person.page(game)
        found = [link for link in page.links if link.startswith(f"{game}postgame/")]
        if not found:
            self.notes.fault(f"{game} has no post-game for {person.name}")
            return
        address = found[0].partition("#")[0]
        for _answer in range(MOST_ANSWERS):
            page = person.page(address)
            if f"{address}preview/" in page.links:
                forms = person.page(f"{address}preview/").forms
                commit = [form for form in forms if form.action.endswith("/commit/")]
                if commit and person.send("commit", f"{game} {person.gang}", commit[0]):
                    return
                continue
            step = self._step(page)
            if step is None:
                # It is in the history already: the site was killed just after that.
                if not any(form.action.endswith("/correct/") for form in page.forms):
                    self.notes.fault(f"{address} asks what nobody can answer")
                return
            form, values = step
            person.send("answer", game, form, **values)
        self.notes.fault(f"the post-game {address} never ended")

    def _step(self, page: Page) -> tuple[Form, dict[str, str]] | None:
        """Return a form to answer next, and the values to send. An answer can still be changed, so
        a form that shows an answer is left as it is.
        """
        for act in FORWARD:
            able = []
            for form in page.forms:
                if form.is_answered:
                    continue
                hidden = ("act", act) in form.fields
                buttons = [one for one in form.buttons if hidden or one == ("act", act)]
                able += [(form, button) for button in buttons if form.action.endswith("/answer/")]
            if able:
                form, (name, value) = self.dice.choice(able)
                return form, {name: value} if name else {}
        return None


def _fallen(form: Form, dice: random.Random) -> dict[str, str]:
    """Return the winner, and a few members who were taken out of action."""
    values = {"winner": dice.choice(form.choices["winner"]), "sure": "1"}
    marks = [name for name in form.choices if "-mark-" in name]
    for name in dice.sample(marks, min(len(marks), dice.randrange(4))):
        values[name] = dice.choice(form.choices[name])
        credit = name.replace("-mark-", "-credit-")
        if credit in form.choices:
            values[credit] = dice.choice(form.choices[credit])
    return values


def _said(answer: Answer) -> str:
    text = re.sub(r"<[^>]+>", " ", answer.content.decode(errors="replace"))
    return " ".join(text.split())[:300]
