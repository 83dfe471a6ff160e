"""Evenings at the real pages, pressed by phones without scripts, against a plain story.

``script/prove-table`` plays them beside the evenings over a bad network (``nights.py``);
test_form_nights.py plays a short one. Phones declare actions, throw, type or enter results, answer
questions about open dice, take the tests that fall due, end turns, undo and restore acts of every
kind, ask each other to undo dice of the site, press pages of ended turns, and come back from
offline. After each press the table, its turn, what is due, what is undone and the questions are
compared with ``plain_story.py``; the story, the buttons to undo and the report from time to time.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from uuid import UUID

from campaigns.table.taps import Logged
from tests.campaigns.table.form_acts import TAPPED, TRIES, FormActs, roll_of, rolls_for_all, way_of
from tests.campaigns.table.form_phones import FormPhone, buttons_of, taps_of

# Tests and rolls that follow come first, while everybody is there.
SCENES = (
    "follow_and_undo",
    "settle_one_of_two_tests",
    "answer_from_an_old_page",
    "press_an_old_form",
    "tap_on_an_old_page",
    "come_back_from_offline",
    "act_after_a_seen_undo",
    "act_before_an_unseen_undo",
    "test_and_undo",
    "ask_to_undo",
    "enter_results",
)
# The kinds of acts, each of which has to happen in some evening.
KINDS = (
    "declared",
    "threw",
    "entered",
    "typed",
    "stood",
    "spent",
    "answered from an old page",
    "ended a turn",
    "rolled for a test",
    "rolled for all",
    "followed",
    "followed again",
    "said it is done",
    "tapped",
    "tapped on an old page",
    "tapped late",
    "pressed an old form",
    "attempted offline",
    "settled one of two tests",
    "undid",
    "undid in the story",
    "undid by the arrow",
    "undid what followed",
    "restored",
    "asked to undo",
    "undo agreed",
    "undo declined",
    "undo withdrawn",
    "acted after a seen undo",
    "asked about an unseen undo",
    "answered about an undo",
    "compared an entered result",
)


class FormNight(FormActs):
    """An evening: random acts of random players, and scenes."""

    def play(self, acts: int, scenes: Iterable[str] = SCENES) -> None:
        """Do this many random acts before each scene, and check everything."""
        with self.seeded_dice():
            for scene in scenes:
                for _act in range(acts):
                    self.something()
                    self.check()
                getattr(self, scene)()
                self.check()
                self.check_pages()
            self.answer_all()
            self.end_turn(self.chance.choice(self.phones))
            self.check()
            self.check_pages()
            self.check_report()

    def something(self) -> None:
        """Do a random act of a random player."""
        phone = self.chance.choice(self.phones)
        acts: list[tuple[int, Callable[[FormPhone], object]]] = [
            (4, self.free_tap),
            (2, self.declare),
            (3, self.throw),
            (3, self.enter),
            (3, self.type),
            (4, self.deal_with_something),
            (2, self.end_turn),
            (4, self.undo_something),
            (3, self.answer_dice),
            (1, self.answer_undo),
            (1, self.answer_question),
            (1, self.undo_by_arrow),
        ]
        [act] = self.chance.choices([one for _n, one in acts], [n for n, _one in acts])
        act(phone)

    # Scenes

    def enter_results(self) -> None:
        """Both players enter results against the other's figures."""
        for phone in (*self.phones, *self.phones):
            page = self.find_attempt(phone, aims=True)
            if page is not None:
                self.enter_form(phone, page)
                self.check()

    def answer_from_an_old_page(self) -> None:
        """A phone only watches, with the page of an earlier turn, and answers a question."""
        phone, watching = self.phones if self.chance.random() < 0.5 else self.phones[::-1]
        self.answer_all()
        old = self.open_table(watching)
        self.end_turn(phone)
        if self.chance.random() < 0.5:
            self.end_turn(phone)
        for _try in range(TRIES):
            page = self.find_attempt(phone, aims=True)
            if page is not None:
                self.type_form(phone, page, high=0.7)
            self.check()
            if self.answer_dice(watching, old) is not None:
                self.shown["answered from an old page"] += 1
                self.check()
                return
            self.answer_all()

    def press_an_old_form(self) -> None:
        """A page of an attempt or of a figure from an ended turn is shown again, and nothing is
        written; pressed again, it counts in the new turn."""
        phone = self.chance.choice(self.phones)
        page = self.find_attempt(phone)
        figure = phone.open(
            self.address("table-figure", self.figures(self.side(phone), standing=False)[0])
        )
        if page is None:
            return
        self.end_turn(self.other(phone))
        deeds = figure.form("do")
        if deeds is not None:
            [*_others, button] = buttons_of(deeds, "do")
            assert self.press(phone, figure, deeds, button)[1] == []
        for how in ("throw", "tell", "say"):
            form, button = way_of(page, how)
            answer, acts = self.press(phone, page, form, button)
            assert acts == [] and answer.page is not None
            again = answer.page
            self.shown["pressed an old form"] += 1
            if self.has_way(again, "say"):
                page = again
                break
        if self.has_way(page, "say"):
            self.enter_form(phone, page)

    def tap_on_an_old_page(self) -> None:
        """A page that was opened before says what its player had seen."""
        phone = self.chance.choice(self.phones)
        other = self.other(phone)
        old = self.open_table(phone)
        for act in self.chance.sample((self.free_tap, self.throw, self.end_turn, self.enter), 2):
            act(other)
        for _time in range(2):
            if self.tap_on(phone, *old) is not None:
                self.shown["tapped on an old page"] += 1
            self.check()

    def put_out(self, phone: FormPhone) -> tuple[str, UUID] | None:
        """Take a figure of the other side out by a tap."""
        for figure in self.figures(self.side(self.other(phone))):
            act = self.free_tap(phone, "out", figure=figure)
            if act is not None:
                return figure, act
        return None

    def act_after_a_seen_undo(self) -> None:
        """An act made with the undo in sight does not depend on the undone act."""
        phone = self.chance.choice(self.phones)
        other = self.other(phone)
        found = self.put_out(phone)
        if found is None:
            return
        figure, act = found
        self.undo(phone, act)
        self.check()
        asked = len(self.folded.now.contested)
        for _time in range(2):
            made = self.free_tap(other, figure=figure)
            self.shown["acted after a seen undo"] += made is not None
            self.check()
            resting = {one.act for one in self.resting(act)}
            assert made not in resting
        assert len(self.folded.now.contested) == asked

    def resting(self, act: UUID) -> list[Logged]:
        """Return the taps about which players are asked since an act was undone."""
        by_key = self.folded.by_key
        return [
            by_key[key]
            for one in self.folded.now.contested
            if by_key[one.struck].act == act
            for key in one.resting
        ]

    def act_before_an_unseen_undo(self) -> None:
        """An act made without the undo in sight is asked about."""
        phone = self.chance.choice(self.phones)
        other = self.other(phone)
        found = self.put_out(phone)
        if found is None:
            return
        figure, act = found
        old = self.open_table(other)
        self.undo(phone, act)
        made = self.tap_on(other, *old, "back", figure=figure)
        if made is None:
            return
        self.check()
        assert made in {one.act for one in self.resting(act)}
        self.shown["asked about an unseen undo"] += 1
        self.answer_question(self.chance.choice(self.phones))

    def leading(self) -> dict[str, set[str]]:
        """Return the rolls that lead to others, each with the outcomes that do."""
        found: dict[str, set[str]] = {}
        for roll in self.start.rules.rolls:
            for outcome in roll.outcomes:
                if any(one.kind == "then" for one in roll.effects_of(outcome)):
                    found.setdefault(roll.key, set()).add(outcome.key)
        return found

    def follow_and_undo(self) -> None:
        """Rolls follow from an act, some for several targets; one press undoes all of it."""
        leading = self.leading()
        many = {
            roll.key
            for roll in self.start.rules.rolls
            for outcome in roll.outcomes
            if any(one.kind == "then" and one.many for one in roll.effects_of(outcome))
        }
        for phone in self.chance.sample(self.phones, 2):
            for rolls in (many, {*leading} - many):
                if rolls:
                    self.lead(phone, {key: leading[key] for key in rolls})
                    self.check()

    def lead(self, phone: FormPhone, leading: dict[str, set[str]]) -> None:
        """Make an attempt that leads to others, follow it, undo it and restore it."""
        for _try in range(4):
            page = self.find_attempt(phone, leading)
            if page is None:
                return
            form = page.form("attempt")
            assert form is not None
            act = self.enter_form(phone, page, outcomes=leading[roll_of(form.action)])
            if act is None:
                continue
            self.check()
            followed = 0
            for _time in range(3):
                table, _form = self.open_table(self.chance.choice(self.phones))
                links = [one for one in self.due_links(table) if one[0][3] == act]
                if links and self.follow(self.chance.choice(self.phones), *links[0]) is not None:
                    followed += 1
                    self.check()
            self.shown["followed again"] += followed > 1
            if act not in self.story.gone:
                self.undo(self.chance.choice(self.phones), act)
                self.check()
                self.answer_undo(self.chance.choice(self.phones))
                self.check()
                if act in self.story.gone and self.chance.random() < 0.7:
                    self.undo(self.chance.choice(self.phones), act)
                    self.check()
            return

    def hurt(self, phone: FormPhone, figure: str = "") -> UUID | None:
        """Tap a loss of a figure, or that it is out or in a state."""
        figure = figure or self.figures(self.chance.choice((1, 2)), standing=False)[0]
        return self.free_tap(phone, "counted", "out", "began", figure=figure)

    def harm(self, phone: FormPhone, figure: str, kind: str) -> None:
        """Tap the first loss or departure that the table's page offers for a figure, or any harm if
        there is none. ``kind``: of the tap."""
        page, form = self.open_table(phone)
        for button in buttons_of(form, "taps"):
            [tap, *more] = taps_of(button)
            if (tap["kind"], tap.get("figure")) != (kind, figure) or more or tap.get("unhurt"):
                continue
            if kind != "counted" or tap["by"] < 0:
                self.press(phone, page, form, button)
                return
        self.hurt(phone, figure)

    def test_and_undo(self) -> None:
        """A tap makes a test due; undoing the tap undoes the test with it."""
        for _try in range(TAPPED):
            phone = self.chance.choice(self.phones)
            act = self.hurt(phone)
            if act is None:
                continue
            self.check()
            raised = {one.entry for one in self.story.play()[1] if one.origin == act}
            table, _form = self.open_table(phone)
            links = [one for one in self.due_links(table) if one[0] in raised]
            if links and self.follow(phone, *self.chance.choice(links)) is not None:
                self.check()
                self.undo(self.chance.choice(self.phones), act)
                self.check()
                return

    def settle_one_of_two_tests(self) -> None:
        """Two tests of a figure use the same roll: a roll settles the one that asked for it."""
        rolls = Counter(row.roll for row in self.start.rules.alarms if row.asks == "member")
        del rolls[None]
        if max(rolls.values(), default=0) > 1:
            any(self.is_one_settled(side) for side in self.chance.sample((1, 2), 2))

    def is_one_settled(self, side: int) -> bool:
        """Make two tests of a figure of a side due, and take one of them. Returns whether that was
        possible."""
        leaders = {one.key for one in self.start.figures if one.leads}
        hurt, *rest = sorted(self.figures(side), key=lambda key: key in leaders) or [""]
        others = iter(sorted(rest, key=lambda key: key not in leaders))
        for _try in range(TAPPED if hurt else 0):
            phone = self.chance.choice(self.phones)
            table, form = self.open_table(phone)
            links = self.due_links(table)
            asked = Counter((roll_of(link), one[2]) for one, link in links if one[0] == "alarm")
            twice = [(one, link) for one, link in links if asked[roll_of(link), one[2]] > 1]
            if twice:
                entry, link = self.chance.choice(twice)
                for_all = rolls_for_all(table)
                if entry[1] in for_all and self.chance.random() < 0.5:
                    self.roll_for_all(phone, table, form, entry[1], for_all[entry[1]])
                    self.shown["settled one of two tests"] += 1
                elif self.follow(phone, entry, link) is not None:
                    self.shown["settled one of two tests"] += 1
                return True
            # Losses of one figure, then departures in its gang, its leaders' first.
            if hurt in {who for _roll, who in asked}:
                self.harm(phone, next(others, hurt), "out")
            else:
                self.harm(phone, hurt, "counted")
            self.check()
        return False

    def ask_to_undo(self) -> None:
        """A player asks to undo dice of the site: they count until the other agrees."""
        phone = self.chance.choice(self.phones)
        act = self.throw(phone)
        if act is None:
            return
        self.check()
        press = self.undo(phone, act)
        self.check()
        if press is None or press not in self.requests:
            return
        match self.chance.choice(("agreed", "declined", "withdrawn")):
            case "agreed":
                self.answer_undo(self.other(phone), press, agree=True)
            case "declined":
                self.answer_undo(self.other(phone), press, agree=False)
            case _:
                self.answer_undo(phone, press)
        self.check()
