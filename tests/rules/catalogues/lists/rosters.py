"""Files of lists: BattleScribe's rosters (2.03), and New Recruit's JSON of them."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

from tests.rules.catalogues.lists.building import NAMESPACE, node
from tests.rules.catalogues.lists.by_hand import Worked, lists
from tests.rules.catalogues.lists.evaluator import Data, Evaluated, Selection
from tests.rules.catalogues.lists.games import files_of

# The lists by hand that files are written of: of all games, legal or not.
SAVED = lists()[::4]
NUMBERS = ("value", "number", "gameSystemRevision", "catalogueRevision")


def evaluate(worked: Worked) -> Evaluated:
    """Return a list by hand, worked out."""
    return Evaluated(Data.read(files_of(worked.game)), worked.of, worked.picks)


def as_ros(found: Evaluated, name: str) -> bytes:
    """Return a list as BattleScribe saves it, and New Recruit for BattleScribe."""
    tree = _roster(found, name)
    tree.set("xmlns", NAMESPACE.format("roster"))
    ElementTree.indent(tree)
    written = ElementTree.tostring(tree, encoding="unicode")
    return f'<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n{written}\n'.encode()


def as_json(found: Evaluated, name: str) -> bytes:
    """Return a list as New Recruit exports it: the same elements in JSON, without the lists'
    wrappers, and numbers as numbers."""
    tree = _roster(found, name)
    data = {**_object(tree), "generatedBy": "https://newrecruit.eu"}
    data["xmlns"] = NAMESPACE.format("roster")
    return json.dumps({"roster": data}, ensure_ascii=False).encode()


def _object(element: Element) -> dict[str, Any]:
    found: dict[str, Any] = {key: _typed(key, value) for key, value in element.attrib.items()}
    for child in element:
        found[child.tag] = [_object(row) for row in child]
    if element.tag == "characteristic":
        found["$text"] = element.text or ""
    return found


def _typed(key: str, value: str) -> Any:
    if value in ("true", "false"):
        return value == "true"
    if key not in NUMBERS:
        return value
    number = float(value)
    return int(number) if number == int(number) else number


def _roster(found: Evaluated, name: str) -> Element:
    data = found.data
    catalogue = data.catalogues[found.catalogue]
    kinds = data.cost_types
    limits = [
        node("costLimit", name=row["name"], typeId=key, value=row["defaultCostLimit"])
        for key, row in kinds.items()
        if Decimal(row["defaultCostLimit"]) >= 0
    ]
    categories = [
        node("category", id=f"force-{row['id']}", name=row["name"], entryId=row["targetId"],
             primary=False)
        for row in found.force.all("categoryLinks")
    ]  # fmt: skip
    selections = [
        _selection(found, one, f"s-{number}") for number, one in enumerate(found.selections, 1)
    ]
    force = node(
        "force", *selections, *categories, id="force-1", name=found.force["name"],
        entryId=found.force["id"], catalogueId=catalogue["id"],
        catalogueRevision=catalogue["revision"], catalogueName=catalogue["name"],
    )  # fmt: skip
    return node(
        "roster", *_costs(found, {key: found.total(key) for key in kinds}), *limits, force,
        id="roster-1", name=name, battleScribeVersion="2.03", gameSystemId=data.system["id"],
        gameSystemName=data.system["name"], gameSystemRevision=data.system["revision"],
    )  # fmt: skip


def _selection(found: Evaluated, one: Selection, id: str) -> Element:
    option = one.option
    inside = (
        _selection(found, inner, f"{id}-{number}") for number, inner in enumerate(one.inside, 1)
    )
    entries = {row["id"]: row["name"] for row in found.data.system.all("categoryEntries")}
    own, primary = found.categories(one)
    categories = (
        node("category", id=f"{id}-{key}", name=entries[key], entryId=key, primary=key == primary)
        for key in sorted(own)
    )
    groups = [group.name for group in option.groups]
    return node(
        "selection", *inside, *_costs(found, found.costs(one)), *categories, id=id,
        name=found.name(one), entryId=option.id,
        entryGroupId=option.groups[-1].id if groups else None,
        number=one.number, type=option.target["type"],
        from_="group" if groups else "entry", group="::".join(groups) or None,
    )  # fmt: skip


def _costs(found: Evaluated, costs: dict[str, Decimal]) -> list[Element]:
    kinds = found.data.cost_types
    return [
        node("cost", name=kinds[key]["name"], typeId=key, value=str(value))
        for key, value in costs.items()
    ]
