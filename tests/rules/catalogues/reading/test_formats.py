"""The same game has the same values in every format."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import Any

import pytest

from rules.catalogues.model import (
    Condition,
    ConditionGroup,
    Constraint,
    Modifier,
    Query,
    Repeat,
    Source,
    System,
)
from rules.catalogues.reading import read_files, read_roster
from tests.rules.catalogues.reading.formats import (
    CATALOGUE,
    FILES,
    OLD,
    OLD_AS_NEW,
    OLD_ROSTER,
    ROSTER,
    SYSTEM,
    as_json,
    as_version,
    encoded,
    zipped,
)


def bare(system: System, **changes: Any) -> System:
    """Return a system without what the formats themselves say: versions and names of files."""
    return System(
        *(
            dataclasses.replace(system.system, format="", file="", **changes),
            tuple(
                dataclasses.replace(one, format="", file="", **changes) for one in system.catalogues
            ),
        )
    )


NEW = read_files(encoded(FILES))


def test_reading_gives_the_values_of_a_game() -> None:
    system, (herons, reeds) = NEW.system, NEW.catalogues
    assert (system.name, system.revision, system.format) == ("Bog Lanterns", 3, "2.03")
    assert (system.author, system.readme) == ("A. Heron", "Bring a lantern.")
    assert [(one.name, one.limit, one.is_hidden) for one in system.cost_types] == [
        ("Shells", Decimal(50), False),
        ("Fame", None, True),
    ]
    assert system.profile_types[0].characteristics == (("speed", "Speed"), ("wit", "Wit"))
    assert system.shared_info.rules[0].text == "Slow\nin water."
    assert system.shared_info.rules[0].source == Source("pub", "12")
    band = system.forces[0].categories[0]
    assert (band.target, band.constraints[0].query.in_children) == ("heads", True)
    assert (herons.file, herons.system_id, herons.is_library) == ("herons.cat", "sys", False)
    assert (reeds.is_library, herons.links[0].imports_roots) == (True, True)
    assert herons.info.links[0].target == "mire"
    (elder,) = herons.roots
    assert (elder.kind, elder.comment, elder.costs) == (
        "model",
        "The head.",
        (("shells", Decimal("12.5")),),
    )
    assert elder.constraints == (
        Constraint("most", "max", Query("selections", "force", Decimal(1), in_children=True)),
    )
    assert [one.value for one in elder.info.profiles[0].characteristics] == ['4"', "+2"]
    assert elder.categories[0].is_primary
    assert (elder.choices[0].kind, elder.choices[0].target) == ("group link", "spears")
    assert (herons.shared[0].default, herons.shared[0].choices[0].name) == ("spear", "Spear")
    assert not NEW.unknown


def test_modifier_groups_are_unfolded_with_their_conditions() -> None:
    there = Condition("atLeast", Query("selections", "force", Decimal(1), "elder"))
    in_band = Condition("instanceOf", Query("selections", "ancestor", Decimal(1), "band"))
    poor = Condition("lessThan", Query("limit::shells", "roster", Decimal(20), "any"))
    either = ConditionGroup("or", (in_band, poor))
    assert NEW.catalogues[0].roots[0].modifiers == (
        Modifier(
            "increment",
            "shells",
            "3",
            repeats=(Repeat(Query("selections", "parent", Decimal(1), "spear"), 2, True),),
        ),
        Modifier("set", "hidden", "true", ConditionGroup("and", (there,))),
        Modifier(
            "append",
            "name",
            " (again)",
            ConditionGroup("and", (), (ConditionGroup("and", (there,)), either)),
        ),
    )


@pytest.mark.parametrize("is_wrapped", [False, True])
def test_json_of_new_recruit_has_the_same_values(is_wrapped: bool) -> None:
    files = {
        name.rpartition(".")[0] + ".json": as_json(text, is_wrapped=is_wrapped)
        for name, text in FILES.items()
    }
    assert bare(read_files(encoded(files))) == bare(NEW)


def test_format_2_02_has_the_same_values() -> None:
    files = {name: as_version(text, "2.02") for name, text in FILES.items()}
    read = read_files(encoded(files))
    assert read.system.format == "2.02"
    assert bare(read) == bare(NEW)


def test_format_2_01_has_the_same_values_with_books_by_name() -> None:
    files = {name: as_version(text, "2.01") for name, text in FILES.items()}
    read = read_files(encoded(files))
    assert [one.name for one in read.system.publications] == ["The Bog"]
    (elder,) = read.catalogues[0].roots
    assert read.catalogues[0].publications[0].id == elder.source.publication
    (old,) = NEW.catalogues[0].roots
    assert dataclasses.replace(elder, source=old.source) == old
    assert read.catalogues[0].shared == NEW.catalogues[0].shared


def test_format_1_15_has_the_values_that_a_converted_game_has() -> None:
    assert bare(read_files(encoded(OLD))) == bare(read_files(encoded(OLD_AS_NEW)))
    assert not read_files(encoded(OLD)).unknown


def test_categories_of_format_2_00_move_out_of_forces() -> None:
    text = """<gameSystem id="sys" name="Bog" battleScribeVersion="2.00"><forceEntries>
      <forceEntry id="band" name="Band">
        <categoryEntries><categoryEntry id="heads" name="Heads">
          <constraints>
            <constraint id="few" type="max" value="2" field="selections" scope="category"/>
          </constraints>
        </categoryEntry></categoryEntries>
        <forceEntries><forceEntry id="pair" name="Pair"><categoryEntries>
          <categoryEntry id="heads" name="Heads"/></categoryEntries></forceEntry></forceEntries>
      </forceEntry></forceEntries>
      <selectionEntries>
        <selectionEntry id="hob" name="Hob" type="model" categoryEntryId="heads"/>
        <selectionEntry id="net" name="Net" type="upgrade" categoryEntryId="(No Category)"/>
      </selectionEntries></gameSystem>"""
    system = read_files([("bog.gst", text.encode())]).system
    assert [(one.id, one.constraints) for one in system.categories] == [("heads", ())]
    (band,) = system.forces
    assert (band.categories[0].id, band.categories[0].target) == ("band-heads", "heads")
    assert band.categories[0].constraints[0].query.scope == "primary-category"
    assert band.forces[0].categories[0].id == "pair-heads"
    hob, net = system.roots
    assert (hob.categories[0].target, hob.categories[0].is_primary) == ("heads", True)
    assert (net.categories, net.is_imported) == ((), True)


def test_limits_of_format_1_15_stay_if_a_modifier_changes_them() -> None:
    changed = OLD["herons.cat"].replace('field="points" value="3"', 'field="maxInRoster" value="3"')
    (herons,) = read_files(encoded({**OLD, "herons.cat": changed})).catalogues
    limits = {one.id: one.query.value for one in herons.roots[0].constraints}
    assert limits == {"maxInForce": 1, "maxInRoster": -1}


@pytest.mark.parametrize("method", [0, 8])
def test_zips_of_every_kind_are_opened(method: int) -> None:
    plain = encoded(FILES)
    each = [
        (f"{name}z", zipped([one], method))
        for name, _text in plain
        for one in plain
        if one[0] == name
    ]
    assert bare(read_files(each)) == bare(NEW)
    folder = [("bog-main/README.md", b"#"), ("bog-main/index.xml", b"<dataIndex/>")]
    inside = [(f"bog-main/{name}", content) for name, content in each]
    # In the order of their names, as a repository has them.
    repository = read_files([("bog.bsr", zipped([*folder, *inside], method))])
    assert bare(repository) == bare(NEW)
    assert repository.catalogues[0].file == "herons.cat"


def test_files_are_known_by_their_content_and_not_by_their_names() -> None:
    wide = SYSTEM.replace("UTF-8", "UTF-16").encode("utf-16")
    files = [("a.bin", wide), ("b", as_json(CATALOGUE).encode("utf-8-sig"))]
    assert read_files(files).catalogues[0].roots == NEW.catalogues[0].roots


def test_extras_of_new_recruit_are_read_or_named() -> None:
    extras = """<selectionEntry id="reed" name="Reed" type="mount" sortIndex="4" flatten="true"
        collapsible="true" import="true" shiny="yes">
      <associations><association min="1" max="1" scope="parent" childId="any"/></associations>
      <constraints><constraint id="two" type="exactly" value="2" scope="parent"/></constraints>
      <modifiers>
        <modifier type="divide" field="shells" value="2" scope="force"
            affects="self.entries.recursive.spear"/>
        <modifier type="prepend" field="name" value="Tall ">
          <localConditionGroups>
            <localConditionGroup type="atLeast" value="1" scope="parent" field="selections"/>
          </localConditionGroups>
          <conditionGroups>
            <conditionGroup type="not"><conditions>
              <condition type="atLeast" value="3" scope="force" childId="reed"/>
            </conditions></conditionGroup>
            <conditionGroup type="count"/>
          </conditionGroups>
        </modifier>
      </modifiers>
    </selectionEntry></selectionEntries>"""
    files = {
        **FILES,
        "herons.cat": CATALOGUE.replace("</selectionEntries>\n  <shared", extras + "\n  <shared"),
    }
    read = read_files(encoded(files))
    reed = read.catalogues[0].roots[1]
    assert (reed.kind, reed.sort_index, reed.is_flat) == ("model", 4, True)
    assert [(one.kind, one.id) for one in reed.constraints] == [("min", "two"), ("max", "two")]
    divide, prepend = reed.modifiers
    assert (divide.kind, divide.affects) == ("divide", "force self.entries.recursive.spear")
    few = Condition("lessThan", Query("selections", "force", Decimal(3), "reed"))
    local = Condition("local atLeast", Query("selections", "parent", Decimal(1)))
    assert prepend.value == "Tall "
    assert prepend.when.conditions == (local,)
    assert prepend.when.groups[0] == ConditionGroup("or", (few,))
    assert [one.conditions[0].kind for one in prepend.when.groups[1:]] == ["group count"]
    assert dict(read.unknown) == {
        "selectionEntry/@shiny": 1,
        "selectionEntry/@type/mount": 1,
        "selectionEntry/associations": 1,
        "conditionGroup/@type/count": 1,
    }


def test_group_of_modifiers_may_be_joined_by_or() -> None:
    inside = """<modifierGroups><modifierGroup type="or">
      <conditions>
        <condition type="atLeast" value="1" scope="force" childId="a"/>
        <condition type="atLeast" value="2" scope="force" childId="b"/>
      </conditions>
      <modifiers>
        <modifier type="set" field="hidden" value="true" scope="self" affects="self"/>
      </modifiers>
    </modifierGroup></modifierGroups>"""
    files = {**FILES, "herons.cat": CATALOGUE.replace("<comment>", inside + "<comment>")}
    modifier = read_files(encoded(files)).catalogues[0].roots[0].modifiers[1]
    assert (modifier.when.kind, len(modifier.when.conditions)) == ("or", 2)
    assert modifier.affects == ""


def test_numbers_that_are_none_are_named() -> None:
    for written in ("many", "1e999999999", "NaN", "9" * 29, "9" * 500):
        files = {**FILES, "herons.cat": CATALOGUE.replace('value="12.5"', f'value="{written}"')}
        read = read_files(encoded(files))
        assert read.catalogues[0].roots[0].costs == (("shells", Decimal(0)),)
        assert dict(read.unknown) == {f"cost/@value/{written[:40]}": 1}


def test_texts_are_cleaned_and_cut() -> None:
    text = "x\u202e" + "y" * 9_000 + "\n" + "z" * 10
    files = {**FILES, "bog.gst": SYSTEM.replace("Slow\nin water.", text)}
    read = read_files(encoded(files))
    assert read.system.shared_info.rules[0].text == "x" + "y" * 3_999 + "\n" + "z" * 10
    assert read.unknown == (("rule/description/…", 1),)


def test_progress_names_each_file() -> None:
    seen: list[str] = []
    read_files(encoded(FILES), seen.append)
    assert seen == ["bog.gst", "herons.cat", "reeds.cat"]


def test_list_has_its_values_in_every_format() -> None:
    read = read_roster("night.ros", ROSTER.encode())
    (force,) = read.forces
    (elder,) = force.selections
    (spear,) = elder.selections
    assert (read.name, read.system_id, read.limits) == (
        "Night herons",
        "sys",
        (("shells", Decimal(50)),),
    )
    assert (force.entry_id, force.catalogue_id, force.catalogue_name) == (
        "band",
        "herons",
        "Herons",
    )
    assert (elder.custom_name, elder.notes, elder.categories[0].entry_id) == (
        "Old Hob",
        "Limps.",
        "heads",
    )
    assert (spear.entry_id.split("::")[-1], spear.group_id, spear.number) == (
        "spear",
        "to-spears::spears",
        2,
    )
    assert spear.costs == (("shells", Decimal(4)),)
    nameless = dataclasses.replace(read, file="")
    for name, content in (
        ("night.rosz", zipped([("night.ros", ROSTER.encode())])),
        ("night.json", as_json(ROSTER).encode()),
        ("night.json", as_json(ROSTER, is_wrapped=True).encode()),
    ):
        assert dataclasses.replace(read_roster(name, content), file="") == nameless


def test_list_of_format_1_15_has_the_same_values_with_points() -> None:
    renamed = ROSTER.replace('typeId="shells"', 'typeId="points"')
    read = dataclasses.replace(read_roster("", renamed.encode()), format="1.15")
    assert read_roster("", OLD_ROSTER.encode()) == read
