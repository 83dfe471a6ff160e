"""Catalogues and lists as an attacker would make them: any elements anywhere, sound ones with
spoiled bytes, values and structure, and zips of them.
"""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Callable
from random import Random
from xml.sax.saxutils import quoteattr

from rules.catalogues.reading.elements import ATTRIBUTES, LISTS, TEXTS
from tests.hostile import nasty
from tests.rules.catalogues.reading import formats

type Files = list[tuple[str, bytes]]
type Shape = Callable[[Random], Files]

SHAPES: dict[str, Shape] = {}
NAMES = sorted(ATTRIBUTES)
VERSIONS = ("1.15", "1.0", "2.00", "2.01", "2.02", "2.03", "3.0", "99.99", "x", "", "-1")
# Values that mean something in some attribute.
WORDS = """
    true false set increment append and or not count atLeast exactly min max unit model upgrade
    selections forces points limit::points parent force roster category primary-category any
    entry profile rule selectionEntry selectionEntryGroup infoGroup -1 0 1 1.5 25 1e9 a b c
""".split()  # noqa: SIM905 - One word a line would hide them.
WORDS += ["entry group", "less than", "direct parent", "force type", "points limit", "percent"]
# A tag, an attribute, or the text between tags.
PART = re.compile(r'<[^>]*>|\w+="[^"]*"')
MANY = 400


def shape(made: Shape) -> Shape:
    """Register a kind of upload under the name of its function."""
    SHAPES[made.__name__] = made
    return made


def sound(dice: Random) -> dict[str, str]:
    """Return the files of a sound game."""
    files = dice.choice((formats.FILES, formats.OLD, formats.OLD_AS_NEW))
    if files is formats.FILES and dice.random() < 0.5:
        version = dice.choice(("2.01", "2.02"))
        return {name: formats.as_version(text, version) for name, text in files.items()}
    return files


def _attributes(dice: Random) -> dict[str, str]:
    """Return a few attributes, with ids that others have, too."""
    found = {"id": dice.choice("abcdefgh"), "targetId": dice.choice("abcdefgh")}
    for name in dice.sample(NAMES, dice.randrange(7)):
        found[name] = dice.choice(WORDS) if dice.random() < 0.8 else nasty.text(dice)[:5_000]
    return found


def _writable(text: str) -> str:
    """Return a text without the characters that XML cannot have."""
    return re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "", text)


def _element(dice: Random, tag: str, depth: int) -> str:
    written = "".join(
        f" {name}={quoteattr(_writable(value))}" for name, value in _attributes(dice).items()
    )
    if tag in TEXTS:
        return f"<{tag}{written}>x</{tag}>"
    inside = "".join(_list(dice, depth - 1) for _ in range(dice.randrange(4))) if depth else ""
    return f"<{tag}{written}>{inside}</{tag}>"


def _list(dice: Random, depth: int) -> str:
    if dice.random() < 0.1:
        return _element(dice, dice.choice((*TEXTS, *LISTS.values())), 0)
    name = dice.choice([*LISTS])
    inner = LISTS[name] if dice.random() < 0.9 else dice.choice([*LISTS.values()])
    inside = "".join(_element(dice, inner, depth) for _ in range(dice.randrange(4)))
    return f"<{name}>{inside}</{name}>"


def _root(dice: Random, tag: str, depth: int) -> str:
    inside = "".join(_list(dice, depth) for _ in range(dice.randrange(12)))
    return (
        f'<{tag} id="{tag}" name="x" battleScribeVersion="{dice.choice(VERSIONS)}" '
        f'gameSystemId="gameSystem">{inside}</{tag}>'
    )


@shape
def any_elements(dice: Random) -> Files:
    """Known elements in any place, with any attributes."""
    files = {
        "a.gst": _root(dice, "gameSystem", dice.randrange(1, 5)),
        "b.cat": _root(dice, "catalogue", dice.randrange(1, 5)),
    }
    return formats.encoded(files)


@shape
def any_objects(dice: Random) -> Files:
    """The same in JSON."""
    files = {}
    for name, root in (("a", "gameSystem"), ("b", "catalogue")):
        text = _root(dice, root, dice.randrange(1, 4))
        files[f"{name}.json"] = formats.as_json(text, is_wrapped=dice.random() < 0.3)
    return formats.encoded(files)


@shape
def bytes_spoiled(dice: Random) -> Files:
    """A sound file with bytes flipped, cut or doubled."""
    files = formats.encoded(sound(dice))
    place = dice.randrange(len(files))
    name, content = files[place]
    files[place] = (name, nasty.bytes_spoiled(content, dice)[0])
    return files


@shape
def values_spoiled(dice: Random) -> Files:
    """A sound game with other values in some attributes."""
    files = dict(sound(dice))
    name = dice.choice([*files])
    text = files[name]
    for _ in range(dice.choice((1, 2, 8))):
        found = [*re.finditer(r'="([^"]*)"', text)]
        match = dice.choice(found)
        value = dice.choice(WORDS) if dice.random() < 0.5 else nasty.text(dice)[:9_000]
        value = quoteattr(_writable(value), {'"': "&quot;"})
        text = f"{text[: match.start()]}={value}{text[match.end() :]}"
    files[name] = text
    return formats.encoded(files)


@shape
def parts_mixed(dice: Random) -> Files:
    """A sound file with tags and attributes missing, doubled or in each other's place."""
    files = dict(sound(dice))
    name = dice.choice([*files])
    text = files[name]
    for _ in range(dice.choice((1, 1, 3))):
        found = [*PART.finditer(text)]
        if not found:
            break
        one, other = dice.choice(found), dice.choice(found)
        new = dice.choice(("", one[0] * 2, other[0]))
        text = f"{text[: one.start()]}{new}{text[one.end() :]}"
    files[name] = text
    return formats.encoded(files)


@shape
def json_spoiled(dice: Random) -> Files:
    """New Recruit's JSON with other values and other structure."""
    files = []
    for name, text in formats.FILES.items():
        plain = json.loads(formats.as_json(text, is_wrapped=dice.random() < 0.3))
        is_spoiled = dice.random() < 0.5
        content = nasty.json_spoiled(plain, dice, ("a", "elder"))[0] if is_spoiled else None
        files.append((name, content or json.dumps(plain).encode()))
    return files


def _target(dice: Random, number: int, count: int) -> int:
    """Return the group that a link of a group leads to: a later one or nothing, seldom any."""
    return dice.randrange(number + 1 if dice.random() < 0.999 else 0, count + 2)


@shape
def links(dice: Random) -> Files:
    """Links that lead anywhere: in circles, to one another, to nothing, often."""
    count = dice.choice((3, 12, 60))
    groups = []
    for number in range(count):
        inside = "".join(
            f'<entryLink id="{number}-{one}" type="selectionEntryGroup" '
            f'targetId="{_target(dice, number, count)}"/>'
            for one in range(dice.randrange(9))
        )
        groups.append(
            f'<selectionEntryGroup id="{number}" name="{number}"><entryLinks>{inside}'
            "</entryLinks></selectionEntryGroup>"
        )
    shared = "".join(groups)
    text = (
        '<gameSystem id="s" name="S"><sharedSelectionEntryGroups>'
        f"{shared}</sharedSelectionEntryGroups></gameSystem>"
    )
    return [("a.gst", text.encode())]


@shape
def repeated(dice: Random) -> Files:
    """One part of a sound file very often."""
    name, text = dice.choice([*sound(dice).items()])
    found = [*PART.finditer(text)]
    match = dice.choice(found)
    times = dice.choice((9, 99, 9_999))
    content = f"{text[: match.end()]}{match[0] * times}{text[match.end() :]}"
    return [(name, content.encode())]


@shape
def other_encoding(dice: Random) -> Files:
    """Another encoding than the one declared, or one that no catalogue has."""
    files = []
    for name, text in sound(dice).items():
        encodings = ("latin-1", "utf-16", "utf-16-be", "utf-32", "utf-7", "utf-8-sig", "cp037")
        declared = dice.choice((*encodings, "x", "UTF-16", "ISO-2022-JP", "idna", "base64"))
        content = text.replace("UTF-8", declared).encode(dice.choice(encodings))
        files.append((name, content if dice.random() < 0.7 else text.encode()))
    return files


@shape
def definitions(dice: Random) -> Files:
    """A document type with entities, inside and outside."""
    entity = dice.choice(
        (
            '<!ENTITY a "&b;&b;"><!ENTITY b "x">',
            '<!ENTITY a SYSTEM "file:///etc/passwd">',
            '<!ENTITY % a SYSTEM "http://127.0.0.1:9/x"> %a;',
            '<!ATTLIST gameSystem id CDATA "x">',
            "",
        )
    )
    text = formats.SYSTEM.replace("<gameSystem", f"<!DOCTYPE gameSystem [{entity}]><gameSystem")
    return [("a.gst", text.replace("Mire", "&a;").encode())]


@shape
def zips(dice: Random) -> Files:
    """Zips of sound and spoiled files, zips in zips, spoiled zips."""
    files = SHAPES[dice.choice(("any_elements", "bytes_spoiled", "values_spoiled"))](dice)
    for _ in range(dice.choice((1, 1, 2, 3))):
        method = dice.choice((zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED, zipfile.ZIP_LZMA))
        names = ("a.zip", "a.catz", "b.gstz", "../a.catz", "/a.catz", "a.json", "a\x00.cat", ".")
        files = [(dice.choice(names), formats.zipped(files, method))]
    if dice.random() < 0.3:
        files = [(files[0][0], nasty.bytes_spoiled(files[0][1], dice)[0])]
    return files


def upload(dice: Random) -> tuple[Files, str]:
    """Return an upload, usually spoiled, and the name of its shape."""
    name = dice.choice([*SHAPES])
    return SHAPES[name](dice), name


def army_list(dice: Random) -> tuple[str, bytes]:
    """Return the file of a list, usually spoiled."""
    text = dice.choice((formats.ROSTER, formats.OLD_ROSTER))
    act = dice.randrange(6)
    if act == 0:
        return "a.ros", nasty.bytes_spoiled(text.encode(), dice)[0]
    if act == 1:
        return "a.ros", _root(dice, "roster", dice.randrange(1, 5)).encode()
    if act == 2:
        plain = json.loads(formats.as_json(text))
        return "a.json", nasty.json_spoiled(plain, dice, ("a", "elder"))[0]
    if act == 3:
        return "a.rosz", formats.zipped([("a.ros", text.encode())])
    if act == 4:
        files, _name = upload(dice)
        return files[0]
    found = [*PART.finditer(text)]
    one, other = dice.choice(found), dice.choice(found)
    new = dice.choice(("", one[0] * 2, other[0], one[0] * MANY))
    return "a.ros", f"{text[: one.start()]}{new}{text[one.end() :]}".encode()
