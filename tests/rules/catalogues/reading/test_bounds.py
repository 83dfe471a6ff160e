"""Files that are too large, damaged or hostile are refused in words, quickly and within memory."""

from __future__ import annotations

import io
import json
import struct
import time
import zipfile
from collections.abc import Callable
from typing import Any

import pytest

from rules.catalogues import bounds, refusals
from rules.catalogues.paths import count_paths
from rules.catalogues.reading import read_files, read_roster, reader
from rules.catalogues.refusals import BadCatalogue, describe
from tests.rules.catalogues.reading.formats import (
    CATALOGUE,
    FILES,
    LIBRARY,
    ROSTER,
    SYSTEM,
    as_json,
    encoded,
    zipped,
)

HEAD = b'<gameSystem id="sys" name="Bog" battleScribeVersion="2.03">'
# Seconds of the processor that a refusal may take.
SECONDS = 5


def system(inside: bytes = b"") -> bytes:
    """Return a game system with these elements."""
    return HEAD + inside + b"</gameSystem>"


def refused(*files: tuple[str, bytes]) -> BadCatalogue:
    """Return the refusal of files, which has a sentence and comes quickly."""
    before = time.process_time()
    with pytest.raises(BadCatalogue) as caught:
        read_files(files)
    assert time.process_time() - before < SECONDS
    sentence = describe(caught.value)
    assert "%(" not in sentence and "?" not in sentence
    return caught.value


def catalogue(name: str = "herons", **changes: str) -> bytes:
    """Return a catalogue with another id."""
    return LIBRARY.replace('id="reeds"', f'id="{name}"').encode()


def linked(groups: int, links: int) -> bytes:
    """Return a system whose groups link several times to the next one."""
    written = []
    for number in range(groups):
        inside = "".join(
            f'<entryLink id="l{number}-{link}" targetId="g{number + 1}" '
            'type="selectionEntryGroup"/>'
            for link in range(links)
        )
        written.append(
            f'<selectionEntryGroup id="g{number}" name="Group {number}"><entryLinks>{inside}'
            "</entryLinks></selectionEntryGroup>"
        )
    root = '<entryLinks><entryLink id="r" targetId="g0" type="selectionEntryGroup"/></entryLinks>'
    shared = "".join(reversed(written))
    return system(
        f"{root}<sharedSelectionEntryGroups>{shared}</sharedSelectionEntryGroups>".encode()
    )


ATTACKS: dict[str, tuple[str, Callable[[], bytes]]] = {
    "entity": (
        "doctype",
        lambda: b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>' + system(b"&b;"),
    ),
    "external entity": (
        "doctype",
        lambda: b'<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>' + system(b"&a;"),
    ),
    "external DTD": (
        "doctype",
        lambda: b'<!DOCTYPE gameSystem SYSTEM "http://127.0.0.1/x.dtd">' + system(),
    ),
    "entity of nobody": ("broken", lambda: system(b"<readme>&x;</readme>")),
    "million elements": ("too_many_elements", lambda: system(b"<rules/>" * 1_000_000)),
    "million unknown elements": ("too_many_elements", lambda: system(b"<x/>" * 1_000_000)),
    "million attributes": (
        "too_long_tag",
        lambda: (
            HEAD[:-1]
            + b"".join(b" a%d=''" % number for number in range(1_000_000))
            + b"></gameSystem>"
        ),
    ),
    "hundred attributes": (
        "too_many_attributes",
        lambda: HEAD[:-1] + b"".join(b" a%d=''" % number for number in range(101)) + b"/>",
    ),
    "huge attribute": ("too_long_tag", lambda: b'<gameSystem id="' + b"x" * 9_000_000 + b'"/>'),
    "huge tag": ("too_long_tag", lambda: b"<" + b"x" * 9_000_000 + b"/>"),
    "huge comment": ("too_long_tag", lambda: system(b"<!--" + b"x" * 9_000_000 + b"-->")),
    "deep": ("too_deep", lambda: HEAD + b"<infoGroups><infoGroup>" * 50_000),
    "deep unknown": ("too_deep", lambda: HEAD + b"<x>" * 50_000),
    "latin": ("encoding", lambda: b'<?xml version="1.0" encoding="ISO-8859-1"?>' + system()),
    "unknown encoding": ("encoding", lambda: b'<?xml version="1.0" encoding="x-no"?>' + system()),
    "utf-7": ("encoding", lambda: b'<?xml version="1.0" encoding="utf-7"?>' + system()),
    "utf-32": ("not_ours", lambda: system().decode().encode("utf-32-be")),
    "broken UTF-8": ("broken", lambda: system(b"<readme>\xc3\x28</readme>")),
    "NUL": ("broken", lambda: system(b"<readme>\x00</readme>")),
    "cut": ("broken", lambda: SYSTEM.encode()[:900]),
    "two roots": ("broken", lambda: system() + system()),
    "empty": ("not_ours", lambda: b""),
    "blanks": ("not_ours", lambda: b" " * 1_000_000),
    "picture": ("not_ours", lambda: b"\x89PNG\r\n\x1a\n" + bytes(900)),
    "web page": ("not_ours", lambda: b"<html><body/></html>"),
    "list": ("not_ours", ROSTER.encode),
    "no id": ("no_id", lambda: b'<gameSystem name="x"/>'),
    "no system id": ("no_id", lambda: b'<catalogue id="x" name="x"/>'),
    "too large": ("too_big", lambda: system(b" " * bounds.BIGGEST_TOGETHER)),
    "deep JSON": ("too_deep", lambda: b'{"gameSystem":' + b'{"rules":[' * 90_000),
    "deep objects": ("too_deep", lambda: nested_json(59)),
    "many objects": ("too_many_elements", lambda: b'{"rules":[' + b"{}," * 900_000 + b"{}]}"),
    "many values": ("too_many_elements", lambda: b'{"rules":[' + b"1," * 3_000_000 + b"1]}"),
    "many keys": (
        "too_many_elements",
        lambda: json.dumps({"gameSystem": {f"k{one}": 1 for one in range(1_000)}}).encode(),
    ),
    "NaN": ("bad_number", lambda: b'{"gameSystem":{"id":"s","revision":NaN}}'),
    "huge number": ("not_json", lambda: b'{"gameSystem":{"revision":' + b"9" * 900_000 + b"}}"),
    "same key twice": ("not_json", lambda: b'{"gameSystem":{"id":"s","id":"s"}}'),
    "broken JSON": ("not_json", lambda: b'{"gameSystem":{"id":"s"}'),
    "JSON in Latin-1": ("encoding", lambda: '{"gameSystem":{"id":"é"}}'.encode("latin-1")),
    "other JSON": ("not_ours", lambda: b'{"name": "skirmish"}'),
    "JSON list": ("not_ours", lambda: b"[1]"),
    "8^11 ways": ("too_many_paths", lambda: linked(11, 8)),
    "50,000 ways deep": ("too_long_path", lambda: linked(15_000, 1)),
    "circle": ("loop", lambda: linked(3, 2).replace(b'"g3"', b'"g0"')),
}


def nested_json(depth: int) -> bytes:
    """Return groups inside groups, deeper than elements may be, but not for JSON."""
    data: dict[str, Any] = {"id": "g"}
    for _ in range(depth):
        data = {"id": "g", "infoGroups": [data]}
    return json.dumps({"gameSystem": data}).encode()


@pytest.mark.parametrize("name", ATTACKS)
def test_attack_is_refused_in_words(name: str) -> None:
    code, made = ATTACKS[name]
    assert refused(("attack.gst", made())).code == code


def test_every_refusal_has_a_sentence_that_its_values_fill() -> None:
    for code in refusals.SENTENCES:
        assert "%(" not in describe(BadCatalogue(code))


def test_files_that_belong_together_are_required() -> None:
    bog, herons = ("bog.gst", SYSTEM.encode()), ("herons.cat", CATALOGUE.encode())
    assert refused().code == "no_file"
    assert refused(herons).code == "no_system"
    assert refused(bog, herons, ("copy.cat", herons[1])).code == "twice"
    other = SYSTEM.replace('id="sys"', 'id="other"').replace("Bog", "Fen").encode()
    two = refused(bog, herons, ("fen.gst", other))
    assert (two.code, two.values["other"]) == ("two_systems", "Fen Lanterns")
    foreign = refused(("fen.gst", other), herons)
    assert (foreign.code, foreign.values["file"]) == ("other_system", "herons.cat")


def test_number_of_files_is_bounded() -> None:
    files = [(f"{one}.cat", catalogue(f"c{one}")) for one in range(bounds.MOST_FILES)]
    bog = ("bog.gst", SYSTEM.encode())
    assert refused(bog, *files).code == "too_many_files"
    assert len(read_files([bog, *files[1:]]).catalogues) == bounds.MOST_FILES - 1


def test_elements_of_all_files_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader, "MOST_ELEMENTS", 60)
    assert read_files([("bog.gst", SYSTEM.encode())])
    assert refused(*encoded(FILES)).code == "too_many_elements"
    json_files = [(name, as_json(text).encode()) for name, text in FILES.items()]
    assert refused(*json_files).code == "too_many_elements"


def test_bytes_of_all_files_count_together() -> None:
    half = bounds.BIGGEST_TOGETHER // 2
    files = [("a.gst", system(b" " * half)), ("b.cat", catalogue() + b" " * half)]
    assert refused(*files).code == "too_big"
    assert refused(("both.zip", zipped(files))).code == "too_big"


def test_zips_are_refused_for_what_they_hold() -> None:
    bog = ("bog.gst", SYSTEM.encode())
    bomb = zipped([("bog.gst", bytes(64 << 20))])
    assert len(bomb) < 100_000
    assert refused(("bomb.zip", bomb)).code == "too_big"
    inner = zipped([("a.catz", zipped([("a.cat", catalogue())]))])
    assert refused(("a.zip", zipped([bog, ("b.zip", inner)]))).code == "nested"
    assert refused(("a.zip", zipped([("README.md", b"x")]))).code == "no_catalogue"
    assert refused(("a.zip", zipped([("/etc/a.cat", catalogue())]))).code == "path"
    assert refused(("a.zip", zipped([("../a.cat", catalogue())]))).code == "path"
    assert refused(("a.zip", zipped([bog], zipfile.ZIP_BZIP2))).code == "no_zip"
    assert refused(("a.zip", zipped([("a.catz", b"x")]))).code == "no_zip"
    assert refused(("a.zip", zipped([bog])[:-40])).code == "no_zip"
    assert refused(("a.zip", zipped([(f"{one}.txt", b"") for one in range(2_001)]))).code == (
        "too_many_files"
    )
    with pytest.warns(UserWarning, match="Duplicate"):
        twice = zipped([bog, bog])
    assert refused(("a.zip", twice)).code == "same_path"


def test_zip_with_a_password_is_refused() -> None:
    content = bytearray(zipped([("bog.gst", SYSTEM.encode())]))
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        start = content.index(mark) + place
        content[start] |= 1
    assert refused(("a.zip", bytes(content))).code == "locked"


def test_zip_that_lies_about_sizes_is_refused() -> None:
    content = bytearray(zipped([("bog.gst", bytes(40 << 20))]))
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        start = content.index(mark) + place
        content[start : start + 4] = struct.pack("<I", 100)
    assert refused(("a.zip", bytes(content))).code == "no_zip"


def test_zip_whose_entries_overlap_is_refused() -> None:
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("0.cat", bytes(9 << 20))
        first = packed.infolist()[0]
        for number in range(1, 30):
            entry = zipfile.ZipInfo(f"{number}.cat")
            for name in ("header_offset", "file_size", "compress_size", "CRC", "compress_type"):
                setattr(entry, name, getattr(first, name))
            packed.filelist.append(entry)
            packed.NameToInfo[entry.filename] = entry
    assert refused(("a.zip", written.getvalue())).code in ("no_zip", "too_big", "not_ours")


def test_other_files_in_a_zip_are_left_out() -> None:
    other = [
        ("package.json", b'{"name": "bog"}'),
        ("list.ros", ROSTER.encode()),
        ("__MACOSX/._bog.gst", b"\x00\x05"),
        (".github/x.json", b"x"),
        ("picture.png", b"\x89PNG"),
    ]
    read = read_files([("bog.zip", zipped([*encoded(FILES), *other]))])
    assert len(read.catalogues) == 2


def test_paths_count_each_way_through_links() -> None:
    # The root, and for each group its links and the next group: 1 + 1 + 3 × (1 + 1 + 3 × …).
    assert count_paths(read_files([("bog.gst", linked(2, 3))])) == 1 + 1 + 3 * (1 + 1 + 3)


def test_paths_of_chosen_catalogues_count_together(monkeypatch: pytest.MonkeyPatch) -> None:
    read = read_files(encoded(FILES))
    # The elder, the profile, the link, the group and the spear.
    assert count_paths(read, {"herons"}) == 5
    assert count_paths(read) == 5
    monkeypatch.setattr("rules.catalogues.paths.MOST_PATHS", 4)
    with pytest.raises(BadCatalogue, match="too_many_paths"):
        count_paths(read, {"herons"})


def test_circle_of_groups_of_rules_is_refused() -> None:
    inside = (
        '<sharedInfoGroups><infoGroup id="a" name="A"><infoLinks>'
        '<infoLink id="l" targetId="b" type="infoGroup"/></infoLinks></infoGroup>'
        '<infoGroup id="b" name="B"><infoLinks>'
        '<infoLink id="m" targetId="a" type="infoGroup"/></infoLinks></infoGroup>'
        "</sharedInfoGroups>"
    )
    assert refused(("bog.gst", system(inside.encode()))).code == "loop"


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"", "no_list"),
        (b"%PDF-1.7", "no_list"),
        (SYSTEM.encode(), "no_list"),
        (b'{"name": "a list", "options": []}', "no_list"),
        (zipped([("a.txt", b"")]), "no_catalogue"),
        (zipped([("a.gst", SYSTEM.encode())]), "no_list"),
        (ROSTER.encode()[:-30], "broken"),
        (b'<roster id="r" name="x"/>', "no_id"),
        (b"<roster>" + b"<forces><force>" * 900, "too_deep"),
        (b"<roster>" + b"<forces/>" * bounds.MOST_LIST_ELEMENTS, "too_many_elements"),
        (b"<roster/>" + b" " * bounds.BIGGEST_LIST, "too_big"),
    ],
)
def test_list_that_is_none_is_refused(content: bytes, code: str) -> None:
    with pytest.raises(BadCatalogue) as caught:
        read_roster("night.ros", content)
    assert caught.value.code == code
