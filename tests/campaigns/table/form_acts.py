"""Acts of players at the forms of a table, each told to the plain story."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import parse_qs, urlsplit
from uuid import UUID

from campaigns.table import storage
from campaigns.table.attempts.actions import begin_attempt
from campaigns.table.attempts.attempt import Attempt
from campaigns.table.attempts.effects import bring_outcome
from campaigns.table.attempts.entering import names_of_ends
from campaigns.table.fold import Folded
from campaigns.table.taps import (
    TAPS,
    AnyTap,
    Counted,
    Dealt,
    Did,
    Followed,
    Ordered,
    Out,
    Rolled,
    Settled,
    SetTo,
    Struck,
    Tallied,
    Undone,
)
from rules.engine.odds import HOPELESS, endings
from tests.campaigns.table.form_phones import (
    FormPhone,
    Page,
    Values,
    buttons_of,
    number_of,
    story_lines,
    taps_of,
    values_of,
)
from tests.campaigns.table.form_table import FormTable
from tests.campaigns.table.plain_story import Act, Entry, entry_of
from tests.hostile.forms import Field, Form, forms_of

# No search for something possible takes more tries than these.
FIGURES, LINKS, TYPED, TRIES, TAPPED = 5, 4, 40, 10, 12
# The kinds of the free taps: not about other taps, turns and dice.
ABOUT_OTHERS = {"undone", "struck", "undo_answered", "settled", "dealt", "turn", "over"}
# Taps with a number, and taps that an outcome need not have in each of its ends.
NUMBERS = (Counted, SetTo, Tallied, Ordered)
FOR_ALL = re.compile(r'formaction="([^"]*/due/\w+/)"')
CARD = re.compile(r'<ul class="findings table-questions".*?</ul>', re.S)


class FormActs(FormTable):
    """A table with the acts of its players. Each search for a possible one has an end."""

    # Acts on the table's page

    def free_tap(self, phone: FormPhone, *kinds: str, figure: str = "") -> UUID | None:
        """Press a button of the table's page, by default any that is about no other tap."""
        page, form = self.open_table(phone)
        return self.tap_on(phone, page, form, *kinds, figure=figure)

    def tap_on(
        self, phone: FormPhone, page: Page, form: Form, *kinds: str, figure: str = ""
    ) -> UUID | None:
        """Press such a button of a page that was opened before."""
        by_kind: dict[str, list[Field]] = {}
        for button in buttons_of(form, "taps"):
            taps = taps_of(button)
            told = {tap["kind"] for tap in taps}
            if told & ABOUT_OTHERS or (kinds and not told & {*kinds}):
                continue
            if not figure or any(tap.get("figure") == figure for tap in taps):
                by_kind.setdefault(taps[0]["kind"], []).append(button)
        if not by_kind:
            return None
        button = self.chance.choice(by_kind[self.chance.choice(sorted(by_kind))])
        _answer, acts = self.press(phone, page, form, button)
        self.shown["tapped"] += len(acts)
        return acts[0] if acts else None

    def end_turn(self, phone: FormPhone) -> UUID | None:
        """End the turn."""
        page, form = self.open_table(phone)
        for button in buttons_of(form, "taps"):
            if taps_of(button)[-1]["kind"] == "turn" and self.story.turn < 90:
                _answer, [act] = self.press(phone, page, form, button)
                self.shown["ended a turn"] += 1
                return act
        return None

    def due_buttons(self, form: Form) -> list[tuple[Entry, Field]]:
        """Return what a page shows as due, each with the button that says it is done."""
        buttons = ((button, taps_of(button)) for button in buttons_of(form, "taps"))
        alone = (
            (button, TAPS.validate_python(taps[0])) for button, taps in buttons if not taps[1:]
        )
        return [(entry_of(tap), button) for button, tap in alone if isinstance(tap, Dealt)]

    def due_links(self, page: Page) -> list[tuple[Entry, str]]:
        """Return the links to the forms of due rolls."""
        found: list[tuple[Entry, str]] = []
        for link in page.links("/acts/"):
            query = parse_qs(urlsplit(link).query)
            roll, by = urlsplit(link).path.strip("/").split("/")[-1], query.get("by", [""])[0]
            who: str | int = int(by) if by.isdecimal() else by
            if "alarm" in query:
                alarm = query["alarm"][0]
                # A test of the whole table is due once, whichever side throws its dice.
                for_table = self.start.book.alarm[alarm].asks == "table"
                found.append((("alarm", alarm, 1 if for_table else who, None), link))
            elif "cause" in query:
                found.append((("roll", roll, who, UUID(query["cause"][0])), link))
        return found

    def deal_with_something(self, phone: FormPhone) -> None:
        """Take a test that is due, make a roll that follows, or say that it is done."""
        page, form = self.open_table(phone)
        links, dealt = self.due_links(page), self.due_buttons(form)
        for_all = rolls_for_all(page)
        draw = self.chance.random()
        if for_all and draw < 0.3:
            alarm = self.chance.choice(sorted(for_all))
            self.roll_for_all(phone, page, form, alarm, for_all[alarm])
        elif links and draw < 0.85:
            self.follow(phone, *self.chance.choice(links))
        elif dealt:
            entry, button = self.chance.choice(dealt)
            self.press(phone, page, form, button, entry=entry)
            self.shown["said it is done"] += 1

    def roll_for_all(
        self, phone: FormPhone, page: Page, form: Form, alarm: str, button: Field
    ) -> list[UUID]:
        """Roll for all figures of a due test: nothing else is dealt with."""
        turn, known = self.story.turn, self.story.play()[1]
        phone.press(page, form, button)
        rows = storage.log_of(self.table, since=self.seq)
        acts = list(dict.fromkeys(row.act for row in rows))
        for act in acts:
            ours = [row for row in rows if row.act == act]
            dealt = [tap.alarm for row in ours if isinstance(tap := row.tap, Dealt) and tap.alarm]
            assert dealt == [alarm], f"dealt with {dealt} in place of {alarm}"
            # The dice of each figure fall after those of the figure before.
            self.moment += 1
            self.tell(ours, phone.name, {}, turn, ours[0].seq - 1, known=known)
            self.folded = self.folded.go_on(ours)
            known = self.story.play()[1]
        self.shown["rolled for all"] += bool(acts)
        return acts

    def follow(self, phone: FormPhone, entry: Entry, link: str) -> UUID | None:
        """Make a roll that is due."""
        ways = [self.throw_form, self.type_form, self.enter_form]
        page = self.open_attempt(phone, link)
        if page is None:
            return None
        act = self.chance.choice(ways)(phone, page, entry=entry)
        if act is not None:
            self.shown["rolled for a test" if entry[0] == "alarm" else "followed"] += 1
            self.check_stays(entry)
        return act

    def check_stays(self, entry: Entry) -> None:
        """Assert that a roll that follows for several targets stays due, and that every other one
        is dealt with."""
        sort, roll, who, cause = entry
        act_of = self.story.acts.get(cause) if cause is not None else None
        if sort != "roll" or act_of is None:
            return
        is_many = self.follows_for_many(act_of, roll)
        figure = self.folded.standing.figures.get(str(who))
        if is_many is not None and figure is not None and figure.out is None:
            follow_ups = self.folded.standing.follow_ups
            stays = (roll, who, cause) in {(one.roll, one.who, one.act) for one in follow_ups}
            assert stays == is_many, f"{entry} stays due: {stays}"

    def follows_for_many(self, cause: Act, following: str) -> bool | None:
        """Whether the rulebook says that a roll follows from an act for several targets; None if
        that depends on something else, or if it follows twice."""
        rolled = [tap for tap in cause.taps if isinstance(tap, Rolled) and not tap.open]
        told = sum(isinstance(tap, Followed) and tap.roll == following for tap in cause.taps)
        if len(rolled) != 1 or told != 1:
            return None
        roll = self.start.book.roll[rolled[0].roll]
        outcome = next((one for one in roll.outcomes if one.key == rolled[0].outcome), None)
        effects = roll.effects_of(outcome) if outcome is not None else ()
        many = {one.many for one in effects if one.kind == "then" and one.roll == following}
        return many.pop() if len(many) == 1 else None

    # Attempts

    def open_attempt(self, phone: FormPhone, link: str) -> Page | None:
        """Open an attempt's form, and confirm what speaks against it; None if it is impossible."""
        page = phone.open(link)
        form = page.form("attempt")
        assert form is not None
        again = buttons_of(form, "again")
        if again:
            answer = phone.press(page, form, again[0])
            page = answer.page or phone.open(answer.location)
        return page if self.has_way(page, "throw") else None

    def has_way(self, page: Page, how: str) -> bool:
        """Whether an attempt's form has this button."""
        form = page.form("attempt")
        return form is not None and any(one.value == how for one in buttons_of(form, "how"))

    def find_attempt(
        self, phone: FormPhone, rolls: Iterable[str] = (), *, aims: bool = False
    ) -> Page | None:
        """Open the form of a possible attempt of one of the player's figures. ``rolls``: of one of
        these, if there are any; ``aims``: at another figure."""
        wanted = {*rolls}
        for figure in self.figures(self.side(phone))[:FIGURES]:
            page = phone.open(self.address("table-figure", figure))
            links = page.links("/acts/")
            links = [one for one in links if not wanted or roll_of(one) in wanted]
            if aims:
                rows = self.start.book.roll
                links = [one for one in links if rows[roll_of(one)].at == "member"]
            for link in self.chance.sample(links, min(len(links), LINKS)):
                found = self.open_attempt(phone, link)
                if found is not None:
                    return found
        return None

    def throw(self, phone: FormPhone) -> UUID | None:
        """Let the site throw for an attempt."""
        page = self.find_attempt(phone)
        return None if page is None else self.throw_form(phone, page)

    def enter(self, phone: FormPhone) -> UUID | None:
        """Enter the result of an attempt."""
        page = self.find_attempt(phone)
        return None if page is None else self.enter_form(phone, page)

    def type(self, phone: FormPhone) -> UUID | None:
        """Type the dice of an attempt."""
        page = self.find_attempt(phone)
        return None if page is None else self.type_form(phone, page)

    def throw_form(
        self, phone: FormPhone, page: Page, *, entry: Entry | None = None
    ) -> UUID | None:
        """Press the button that throws."""
        form, button = way_of(page, "throw")
        _answer, acts = self.press(phone, page, form, button, entry=entry)
        self.shown["threw"] += len(acts)
        return acts[0] if acts else None

    def enter_form(
        self,
        phone: FormPhone,
        page: Page,
        *,
        entry: Entry | None = None,
        outcomes: Iterable[str] = (),
    ) -> UUID | None:
        """Choose an outcome, by default any, and record it as the form proposes."""
        form, button = way_of(page, "say")
        offered = [one.value for one in form.fields if one.name == "outcome"]
        wanted = {*outcomes}
        chosen = [one for one in offered if not wanted or one in wanted]
        if wanted and not chosen:
            return None
        # Outcomes with fields of their own are the harder ones.
        asking = [one for one in chosen if any(f.name.startswith(f"n-{one}-") for f in form.fields)]
        if asking and self.chance.random() < 0.5:
            chosen = asking
        changes: Values = {"outcome": self.chance.choice(chosen)} if chosen else {}
        before, action = self.folded, values_of(form).get("action")
        _answer, acts = self.press(phone, page, form, button, changes, entry=entry)
        self.shown["entered"] += len(acts)
        if acts:
            self.check_entered(before, acts[0], str(action) if action else None)
        return acts[0] if acts else None

    def check_entered(self, before: Folded, act: UUID, action: str | None) -> None:
        """Assert that an entered result brought nothing that the player did not enter: only what
        every way to this outcome brings, with numbers that one of them has."""
        taps = list(self.story.acts[act].taps)
        [rolled] = [tap for tap in taps if isinstance(tap, Rolled)]
        made = replace(Attempt.of(rolled), action=action)
        now, start = before.standing, self.start
        asked = made.question(start, now)
        names = names_of_ends(asked.roll, asked.names)
        try:
            ways = endings(asked.ready, asked.names, names).ways
        except HOPELESS:
            return
        row = next((one for one in asked.roll.outcomes if one.key == rolled.outcome), None)
        ends = []
        for key, values in ways:
            if key == (rolled.outcome or ""):
                known = {n: v for n, v in zip(names, values, strict=True) if v != ""}
                ends.append(bring_outcome(start, now, made, row, known))
        if not ends:
            if asked.ready.losses.get(rolled.outcome or ""):
                self.check_loses_all(before, taps)
            return
        begun = [tap for tap in begin_attempt(start, now, made) if not isinstance(tap, Dealt)]
        brought = [tap for tap in taps if not isinstance(tap, Rolled | Dealt | Did | Ordered)]
        brought = [tap for tap in brought if tap not in begun]
        fixed = [tap for tap in brought if not isinstance(tap, NUMBERS)]
        invented = [tap for tap in fixed if not all(tap in end for end in ends)]
        assert not invented, f"entered {rolled.roll} {rolled.outcome}: invented {invented}"
        possible = any(all(tap in end for tap in brought) for end in ends)
        assert possible, f"entered {rolled.roll} {rolled.outcome}: {brought} is impossible"
        self.shown["compared an entered result"] += 1

    def check_loses_all(self, before: Folded, taps: Sequence[AnyTap]) -> None:
        """Assert that a figure that an entered result puts out loses all the life that it had."""
        for out in taps:
            if isinstance(out, Out) and not out.unhurt:
                life = before.standing.figures[out.figure].tracks.get(self.start.book.life or "", 0)
                lost = [
                    tap.by
                    for tap in taps
                    if isinstance(tap, Counted)
                    and (tap.figure, tap.track) == (out.figure, self.start.book.life)
                ]
                assert not lost or -sum(lost) == life, f"{out.figure} lost {lost} of {life}: {taps}"

    def type_form(
        self, phone: FormPhone, page: Page, *, entry: Entry | None = None, high: float = 0.4
    ) -> UUID | None:
        """Type dice until the roll is complete. ``high``: how often a die shows its most."""
        form, button = way_of(page, "tell")
        changes: Values = {}
        for _throw in range(TYPED):
            answer, acts = self.press(phone, page, form, button, changes, entry=entry)
            if acts or answer.page is None:
                self.shown["typed"] += len(acts)
                return acts[0] if acts else None
            page = answer.page
            there = page.form("attempt")
            if there is None or not self.has_way(page, "tell"):
                return None
            form, button = way_of(page, "tell")
            changes = self.faces(form, high)
        return None

    def faces(self, form: Form, high: float) -> Values:
        """Return dice for the boxes of a form, and the dice to keep that it proposes."""
        boxes = [one for one in form.fields if one.name == "dice"]
        keeps = [one for one in form.fields if one.name == "keep"]
        kept = [one.value for one in keeps if one.checked]
        number = len(keeps) - len(kept) if keeps else len(boxes)
        typed = [self.face(box, high) for box in boxes[:number]]
        return {"dice": [*typed, *[""] * (len(boxes) - number)], "keep": kept}

    def face(self, box: Field, high: float) -> str:
        """Return a face for a box."""
        signs = [one for one in box.options if one != "–"]
        if signs:
            signs = [one for one in signs if one]
            return signs[-1] if self.chance.random() < high else self.chance.choice(signs)
        sides = int(box.attributes["data-die"])
        return str(sides if self.chance.random() < high else self.chance.randint(1, sides))

    def declare(self, phone: FormPhone) -> UUID | None:
        """Do an action without dice."""
        for figure in self.figures(self.side(phone))[:FIGURES]:
            page = phone.open(self.address("table-figure", figure))
            form = page.form("do")
            deeds = buttons_of(form, "do") if form is not None else []
            if form is not None and deeds:
                _answer, acts = self.press(phone, page, form, self.chance.choice(deeds))
                self.shown["declared"] += len(acts)
                return acts[0] if acts else None
        return None

    # Open dice

    def answer_dice(self, phone: FormPhone, old: tuple[Page, Form] | None = None) -> UUID | None:
        """Answer the question of open dice, from the table's page. ``old``: a page that was opened
        before: the question comes with the news."""
        page, form = old or self.open_table(phone)
        asks = form
        if old is not None:
            html = self.news(phone, self.seq - 1).get("html", {}).get("asks", "")
            [asks] = forms_of(page.address, f"<form>{html}</form>".encode())
        cards = [one for one in buttons_of(asks) if one.name in ("stand", "spend")]
        if not cards:
            return None
        spends = [one for one in cards if one.name == "spend"]
        button = self.chance.choice(spends if spends and self.chance.random() < 0.5 else cards)
        before = {key: len(act.parts) for key, act in self.story.acts.items()}
        answer, acts = self.press(phone, page, form, button)
        for _throw in range(TYPED):
            if answer.page is None:
                break
            typed = answer.page.form("spend")
            if typed is None or not any(one.name == "dice" for one in typed.fields):
                break
            [button] = buttons_of(typed, "spend")
            answer, acts = self.press(phone, answer.page, typed, button, self.faces(typed, 0.4))
        assert not acts
        answered = [
            key for key, act in self.story.acts.items() if len(act.parts) > before.get(key, 0)
        ]
        self.shown["stood" if button.name == "stand" else "spent"] += len(answered)
        return answered[0] if answered else None

    def answer_all(self) -> None:
        """Answer the questions about open dice."""
        for _time in range(TRIES):
            answered = [self.answer_dice(phone) for phone in self.phones]
            if not any(answered):
                return

    # Undoing

    def undo_something(self, phone: FormPhone) -> None:
        """Undo or restore a random act, from the table or from the story. Every kind of act is as
        frequent."""
        in_story = self.chance.random() < 0.5
        page = phone.open(self.address("table-story")) if in_story else self.open_table(phone)[0]
        lines = [(UUID(act), buttons) for act, buttons in story_lines(page.html) if buttons]
        kinds: dict[str, list[UUID]] = {}
        for act, _buttons in lines:
            for tap in self.story.acts[act].taps:
                kinds.setdefault(tap.kind, []).append(act)
        if kinds:
            act = self.chance.choice(kinds[self.chance.choice(sorted(kinds))])
            self.undo(phone, act, page)

    def undo(self, phone: FormPhone, act: UUID, page: Page | None = None) -> UUID | None:
        """Press the button of an act's line, and return the press. Dice of the site wait for the
        other player."""
        page = page or phone.open(self.address("table-story"))
        form = page.form("telling") or page.form("table")
        assert form is not None
        lines = dict(story_lines(page.html))
        buttons = lines.get(str(act), [])
        self.check_line(act, buttons)
        if not buttons:
            return None
        in_story = form.name == "telling"
        restores = self.story.acts[act].gone is not None
        acts = self.story.restored_with(act) if restores else self.story.undone_with(act)
        press = self.press_undo(phone, page, form, buttons[0], acts, restores=restores)
        self.shown["restored" if restores else "undid in the story" if in_story else "undid"] += 1
        self.shown["undid what followed"] += not restores and len(acts) > 1
        return press

    def press_undo(
        self,
        phone: FormPhone,
        page: Page,
        form: Form,
        button: Field,
        acts: Iterable[UUID],
        *,
        restores: bool,
    ) -> UUID:
        """Press a button that undoes or restores these acts."""
        before = self.seq
        self.press(phone, page, form, button)
        return self.note_undo(before, acts, restores=restores)

    def note_undo(self, before: int, acts: Iterable[UUID], *, restores: bool) -> UUID:
        """Tell the plain story of an undo whose taps follow this number."""
        [press] = {one.act for one in self.folded.log[before:]}
        acts = [*acts]
        asked = [act for act in acts if self.story.acts[act].is_by_site]
        now = [act for act in acts if act not in asked]
        if restores:
            self.story.restore(now)
        else:
            self.story.undo(now, press, before + 1)
        for act in asked:
            self.story.acts[act].asked = press
        if asked:
            self.requests[press] = (restores, asked)
            self.shown["asked to undo"] += 1
        return press

    def undo_by_arrow(self, phone: FormPhone) -> None:
        """Undo the last act of a phone's player, as the script's arrow does."""
        own = self.news(phone).get("own", ())
        if own:
            act = UUID(own[0]["act"])
            acts = self.story.undone_with(act)
            assert {UUID(one) for one in (own[0]["act"], *own[0]["led"])} == acts
            before = self.seq
            told = [{"kind": "undone", "act": one} for one in (own[0]["act"], *own[0]["led"])]
            self.send(phone, [self.row(phone, told)])
            self.take(phone, self.story.turn, before)
            self.note_undo(before, acts, restores=False)
            self.shown["undid by the arrow"] += 1

    def answer_undo(
        self, phone: FormPhone, press: UUID | None = None, *, agree: bool | None = None
    ) -> None:
        """Answer a request to undo dice of the site, or withdraw it."""
        page, form = self.open_table(phone)
        found = []
        for button in buttons_of(form, "taps"):
            taps = taps_of(button)
            if taps[0]["kind"] == "undo_answered" and press in (None, UUID(taps[0]["asked"])):
                found.append((UUID(taps[0]["asked"]), bool(taps[0]["agreed"]), button))
        found = [one for one in found if agree in (None, one[1])]
        if not found:
            return
        asked, agreed, button = self.chance.choice(found)
        is_own = not any(one for one in found if one[0] == asked and one[1]) and agree is None
        before = self.seq
        self.press(phone, page, form, button)
        restores, acts = self.requests.pop(asked)
        for act in acts:
            self.story.acts[act].asked = None
        if agreed and restores:
            self.story.restore(acts)
        elif agreed:
            self.story.undo(acts, asked, before + 1)
        words = "agreed" if agreed else "withdrawn" if is_own else "declined"
        self.shown[f"undo {words}"] += 1

    def answer_question(self, phone: FormPhone) -> None:
        """Answer a question about two acts, or about an undone act on which others depend."""
        page, form = self.open_table(phone)
        card = CARD.search(page.html)
        if card is None:
            return
        [questions] = forms_of("", f"<form>{card[0]}</form>".encode())
        offered = [
            one
            for one in buttons_of(questions, "taps")
            if taps_of(one)[0]["kind"] in ("undone", "struck", "settled")
        ]
        if not offered:
            return
        button = self.chance.choice(offered)
        taps = [TAPS.validate_python(tap) for tap in taps_of(button)]
        self.shown["answered about an undo"] += 1
        if isinstance(taps[0], Settled):
            self.press(phone, page, form, button)
        elif isinstance(taps[0], Struck):
            restored = self.restored_by(taps)
            acts = {one for act in restored for one in self.story.restored_with(act)}
            assert restored == acts, f"one press restores {restored}, not {acts}"
            self.press_undo(phone, page, form, button, acts, restores=True)
        else:
            undone = {tap.act for tap in taps if isinstance(tap, Undone)}
            acts = {one for act in undone for one in self.story.undone_with(act)}
            assert undone == acts, f"one press undoes {undone}, not {acts}"
            self.press_undo(phone, page, form, button, acts, restores=False)

    # Offline

    def row(
        self,
        phone: FormPhone,
        taps: Sequence[dict[str, Any]],
        saw: int | None = None,
        turn: int = 0,
    ) -> list[dict[str, Any]]:
        """Return the rows of an act that a phone collects now."""
        act = UUID(int=self.chance.getrandbits(128), version=4)
        device, number = self.devices[phone.name]
        self.devices[phone.name] = (device, number + len(taps))
        # No two acts of a phone happen in the same millisecond.
        time.sleep(0.002)
        shared = {"device": device, "at": time.time_ns() // 1_000_000, "act": str(act)}
        shared |= {"after": self.seq if saw is None else saw, "turn": turn or self.story.turn}
        return [shared | {"n": n, "tap": tap} for n, tap in enumerate(taps, start=number + 1)]

    def send(self, phone: FormPhone, acts: Sequence[Sequence[dict[str, Any]]]) -> None:
        """Send acts that a phone has collected."""
        rows = [row for act in acts for row in act]
        answer = phone.client.post(
            self.address("table-taps"), json.dumps(rows), content_type="application/json"
        )
        assert answer.status_code == 200 and all(answer.json()["logged"]), answer.json()

    def come_back_from_offline(self) -> None:
        """A phone collects taps and an attempt without a network, while the other goes on."""
        phone = self.chance.choice(self.phones)
        other = self.other(phone)
        page, form = self.open_table(phone)
        saw, turn, known = self.seq, number_of(form, "turn"), self.story.play()[1]
        offered: list[dict[str, Any]] = []
        for figure in self.figures(self.side(phone))[:2]:
            answer = phone.client.get(self.address("table-beforehand", figure))
            offered = offered or answer.json()["attempts"]
        buttons = [
            one
            for one in buttons_of(form, "taps")
            if not {tap["kind"] for tap in taps_of(one)} & ABOUT_OTHERS
        ]
        collected: list[list[dict[str, Any]]] = []
        moments: dict[UUID, tuple[int, int]] = {}
        for place in range(self.chance.randint(2, 4)):
            self.moment += 1
            told = taps_of(self.chance.choice(buttons))
            if place == 1 and offered:
                attempt = self.chance.choice(offered)
                told = self.chance.choice(attempt["ends"])["taps"]
                told = [
                    tap | {"by_phone": True} if tap["kind"] == "rolled" else tap for tap in told
                ]
                self.shown["attempted offline"] += 1
            collected.append(self.row(phone, told, saw, turn))
            moments[UUID(collected[-1][0]["act"])] = (turn, self.moment)
            if self.chance.random() < 0.6:
                self.chance.choice((self.free_tap, self.end_turn, self.throw))(other)
        self.end_turn(other)
        self.send(phone, collected)
        rows = storage.log_of(self.table, since=self.seq)
        self.tell(rows, f"{phone.name} offline", moments, turn, saw, known=known)
        self.folded = self.folded.go_on(rows)
        self.shown["tapped late"] += sum(self.story.late().values()) > 0


def rolls_for_all(page: Page) -> dict[str, Field]:
    """Return the buttons that roll for all figures of a due test, by its alarm."""
    return {
        address.rstrip("/").split("/")[-1]: Field("", "submit", attributes={"formaction": address})
        for address in FOR_ALL.findall(page.html)
    }


def roll_of(link: str) -> str:
    return urlsplit(link).path.strip("/").split("/")[-1]


def way_of(page: Page, how: str) -> tuple[Form, Field]:
    """Return an attempt's form and its button."""
    form = page.form("attempt")
    assert form is not None
    return form, next(one for one in buttons_of(form, "how") if one.value == how)
