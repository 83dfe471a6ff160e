"""Uploads are read and mapped in a process of their own."""

from __future__ import annotations

import dataclasses
import os
import threading
import time
from typing import Any

import pytest

from rules.catalogues import apart, bounds
from rules.catalogues.apart import examine, read_list
from rules.catalogues.overview import Candidate, CostSummary, look_over
from rules.catalogues.reading import read_files, read_roster
from rules.catalogues.refusals import BadCatalogue
from rules.catalogues.results import Answers
from rules.loading import apart as processes
from rules.loading.apart import Busy, TooLarge, run_apart
from tests.rules.catalogues import stand_in
from tests.rules.catalogues.reading.formats import CATALOGUE, FILES, ROSTER, SYSTEM, encoded
from tests.rules.catalogues.reading.test_bounds import ATTACKS

DOING = "tests.rules.catalogues.jobs"


@pytest.fixture(autouse=True)
def mapping(monkeypatch: pytest.MonkeyPatch) -> None:
    """Map with the stand-in."""
    monkeypatch.setattr(apart, "MAPPING", stand_in.__name__)


def test_examine_returns_the_suggested_answers_and_their_game() -> None:
    seen: list[str] = []
    found = examine(encoded(FILES), progress=seen.append)
    system = read_files(encoded(FILES))
    answers = stand_in.guess_answers(system)
    assert found.answers == answers
    assert found.imported == stand_in.make_game(system, answers)
    assert found.overview == look_over(system, answers)
    assert seen == [*FILES]


def test_examine_uses_the_authors_answers() -> None:
    answers = Answers(catalogues=("herons",), money="shells", with_texts=False)
    found = examine(encoded(FILES), answers)
    assert found.answers == answers
    assert found.imported.data["origins"] == ["Herons"]


def test_overview_lists_everything_that_an_author_is_asked_about() -> None:
    linked = CATALOGUE.replace(
        "</catalogueLinks>",
        '<catalogueLink id="x" name="Owls" targetId="owls" type="catalogue"/></catalogueLinks>',
    )
    system = read_files(encoded({**FILES, "herons.cat": linked}))
    found = look_over(system, stand_in.guess_answers(system))
    herons, reeds = found.catalogues
    assert (herons.entries, herons.links, herons.missing) == (3, ("reeds",), ("Owls",))
    assert (reeds.is_library, reeds.entries) == (True, 0)
    assert found.costs == (CostSummary("shells", "Shells", 2), CostSummary("fame", "Fame", 0))
    assert [(one.id, one.profiles) for one in found.profiles] == [("wader", 1)]
    assert found.candidates == (
        Candidate("elder", "Elder", "model", "Herons", "leader"),
        Candidate("heads", "Heads", "category", "Bog Lanterns"),
        Candidate("spears", "Spears", "group", "Herons"),
        Candidate("spear", "Spear", "upgrade", "Herons"),
    )


def test_refusal_comes_back_with_its_values() -> None:
    with pytest.raises(BadCatalogue) as caught:
        examine([("herons.cat", CATALOGUE.encode()[:700])])
    assert (caught.value.code, caught.value.values["file"]) == ("broken", "herons.cat")
    with pytest.raises(BadCatalogue, match="no_list"):
        read_list("bog.gst", SYSTEM.encode())


def test_list_comes_back_with_its_values() -> None:
    assert read_list("a.ros", ROSTER.encode()) == read_roster("a.ros", ROSTER.encode())


@pytest.mark.parametrize("money", [pytest.param("spins", marks=pytest.mark.long), "eats", "fails"])
def test_work_that_takes_too_much_is_refused(money: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(apart, "READ_SECONDS", 1)
    with pytest.raises(BadCatalogue, match="too_hard"):
        examine(encoded(FILES), Answers(money=money))


def test_paths_of_the_chosen_catalogues_count_together() -> None:
    """Each of four catalogues has fewer ways than the most, all together have more."""
    entry = '<selectionEntry id="e" name="E" type="upgrade"/>'
    ways = 90_000
    inside = f"<selectionEntries>{entry * 300}</selectionEntries>"
    group = f'<selectionEntryGroup id="g" name="G">{inside}</selectionEntryGroup>'
    link = '<entryLink id="l" targetId="g" type="selectionEntryGroup"/>'
    text = (
        '<catalogue id="c0" name="C" gameSystemId="sys" battleScribeVersion="2.03">'
        f"<entryLinks>{link * (ways // 302)}</entryLinks>"
        f"<sharedSelectionEntryGroups>{group}</sharedSelectionEntryGroups></catalogue>"
    )
    files = [("bog.gst", SYSTEM.encode())]
    files += [(f"{one}.cat", text.replace("c0", f"c{one}").encode()) for one in range(4)]
    assert examine(files, Answers(catalogues=("c1", "c2")))
    with pytest.raises(BadCatalogue, match="too_many_paths"):
        examine(files)


def test_jobs_are_busy_when_others_are_being_done() -> None:
    for _number in range(processes.MOST_JOBS):
        assert processes._jobs.acquire(blocking=False)
    try:
        with pytest.raises(Busy):
            examine(encoded(FILES))
    finally:
        for _number in range(processes.MOST_JOBS):
            processes._jobs.release()
    assert examine(encoded(FILES))


def test_job_that_gives_no_answer_in_time_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "PATIENCE_OF_JOBS", 0.05)
    before = threading.active_count()
    with pytest.raises(Busy):
        run_apart(f"{DOING}:sleep", b"", seconds=1, memory=1 << 26)
    assert threading.active_count() == before


def test_job_has_none_of_the_sites_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET_KEY", "never handed on")
    names = run_apart(f"{DOING}:list_secrets", b"", seconds=5, memory=1 << 26)
    assert b"SECRET_KEY" not in names
    assert "SECRET_KEY" in os.environ


def test_job_that_ends_without_an_answer_is_too_large() -> None:
    with pytest.raises(TooLarge):
        run_apart(f"{DOING}:leave", b"", seconds=5, memory=1 << 26)


def test_answer_of_a_job_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "BIGGEST_ANSWER", 1_000)
    assert run_apart(f"{DOING}:answer_much", b"999", seconds=5, memory=1 << 26) == bytes(999)
    with pytest.raises(TooLarge):
        run_apart(f"{DOING}:answer_much", b"1000", seconds=5, memory=1 << 26)


WORST: dict[str, Any] = {
    "entries": lambda: (
        b'<gameSystem id="s" name="S"><selectionEntries>'
        + b"".join(
            b'<selectionEntry id="1234-5678-%06x" name="Fighter %d" type="model"/>' % (one, one)
            for one in range(bounds.MOST_ELEMENTS - 10)
        )
        + b"</selectionEntries></gameSystem>"
    ),
    "texts": lambda: (
        b'<gameSystem id="s" name="S"><sharedRules>'
        + b"".join(
            b'<rule id="%x"><description>%s</description></rule>' % (one, "é".encode() * 60)
            for one in range(90_000)
        )
        + b"</sharedRules></gameSystem>"
    ),
    "objects": lambda: (
        b'{"gameSystem":{"id":"s","name":"S","sharedRules":['
        + b",".join(
            b'{"id":"1234-%06x","name":"Rule %d","hidden":false,"description":"yes"}' % (one, one)
            for one in range(bounds.MOST_ELEMENTS - 10)
        )
        + b"]}}"
    ),
}


@pytest.mark.long
@pytest.mark.parametrize("name", WORST)
def test_worst_files_are_read_within_256_megabytes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "READ_MEMORY", 256 << 20)
    monkeypatch.setattr(apart, "READ_SECONDS", 10)
    begun = time.monotonic()
    found = examine([("a.gst", WORST[name]())])
    assert dataclasses.is_dataclass(found)
    assert time.monotonic() - begun < 40


@pytest.mark.long
@pytest.mark.parametrize(
    "name",
    [
        "million attributes",
        "million elements",
        "million unknown elements",
        "huge attribute",
        "huge comment",
        "many values",
        "many objects",
        "huge number",
        "too large",
        "50,000 ways deep",
        "8^11 ways",
    ],
)
def test_worst_attacks_are_refused_within_256_megabytes(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(apart, "READ_MEMORY", 256 << 20)
    monkeypatch.setattr(apart, "READ_SECONDS", 5)
    code, made = ATTACKS[name]
    with pytest.raises(BadCatalogue) as caught:
        examine([("attack.gst", made())])
    assert caught.value.code == code
