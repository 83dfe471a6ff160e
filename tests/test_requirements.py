"""Everything that comes from elsewhere is pinned: packages by hash, images by digest."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import tomllib
from hashlib import sha256
from pathlib import Path

import pytest

from bench import audit

ROOT = Path(__file__).parents[1]
LISTS = sorted(ROOT.glob("requirements*.txt"))
PINNED = re.compile(
    r"(?P<name>[a-z0-9-]+)==(?P<version>[^ ]+)(?: ; [^\\]+)?"
    r"(?: \\\n    --hash=sha256:[0-9a-f]{64})+"
)


def pins(name: str) -> dict[str, str]:
    text = (ROOT / name).read_text("utf-8")
    return {found["name"]: found["version"] for found in PINNED.finditer(text)}


@pytest.mark.parametrize("path", LISTS, ids=lambda path: path.stem)
def test_requirements_pin_each_package_by_version_and_hash(path: Path) -> None:
    text = path.read_text("utf-8")
    assert PINNED.sub("", text).strip() == ""
    assert "://" not in text
    # Files of other platforms have different hashes.
    assert text.count("--hash") > text.count("==")


@pytest.mark.parametrize(
    ("shorter", "longer"), [("", "-dev"), ("", "-extras"), ("-dev", "-two-sites")]
)
def test_longer_lists_contain_the_shorter_in_the_same_versions(shorter: str, longer: str) -> None:
    less, more = pins(f"requirements{shorter}.txt"), pins(f"requirements{longer}.txt")
    assert less.items() <= more.items()


def test_lists_contain_every_package_that_the_project_requires() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    extras, groups = project["project"]["optional-dependencies"], project["dependency-groups"]
    large = [name for extra in ("redis", "sentry", "several-machines") for name in extras[extra]]
    for name, asked in (
        ("requirements.txt", project["project"]["dependencies"]),
        ("requirements-dev.txt", extras["dev"]),
        (
            "requirements-extras.txt",
            large,
        ),
        ("requirements-two-sites.txt", extras["two-sites"]),
        *((f"requirements-{group}.txt", wanted) for group, wanted in groups.items()),
    ):
        names = {re.split(r"[\[;<>=]", wanted)[0].strip() for wanted in asked}
        assert names <= set(pins(name)), name


def test_every_installation_checks_hashes() -> None:
    places = [*(ROOT / "script").iterdir(), ROOT / "Dockerfile", ROOT / ".ci" / "run"]
    places += [ROOT / "docs" / "running.md", ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
    found = 0
    for path in places:
        if path.is_file():
            # The packages of 0.9.0, to which hosts can go back, had no hashes.
            text = path.read_text("utf-8").partition("**Back to 0.9.0**")
            text = text[0] + text[2].partition("\n    systemctl start")[2]
            for line in re.findall(r".*\bpip install\b.*", text):
                assert "--require-hashes" in line, (path, line)
                found += 1
    assert found > 5


def test_npm_s_locks_have_a_hash_for_each_package_and_name_no_registry() -> None:
    locks = list((ROOT / "script" / "npm").glob("*/package-lock.json"))
    assert {path.parent.name for path in locks} == {"lighthouse", "vnu-jar"}
    for path in locks:
        packages = json.loads(path.read_text("utf-8"))["packages"]
        del packages[""]
        assert packages and all(package["integrity"] for package in packages.values())
        assert not any("resolved" in package for package in packages.values())


def test_all_images_are_pinned_if_one_is_pinned() -> None:
    text = (ROOT / "Dockerfile").read_text("utf-8") + (ROOT / "compose.yaml").read_text("utf-8")
    images = re.findall(r"^(?:FROM| +image:) (\S+)", text, re.M)
    images.remove("skirmish")
    pinned = [bool(re.fullmatch(r"[^@]+:[^@]+@sha256:[0-9a-f]{64}", image)) for image in images]
    assert len(images) == 4
    assert all(pinned) or not any("@" in image for image in images)


# A registry that has another digest each day, and one image fewer than it should.
SKOPEO = """#!/bin/sh
case "$3" in
    *caddy*) [ "$DAY" = 1 ] || exit 1 ;;
esac
printf '{"schemaVersion": 2, "name": "%s", "day": %s}' "$3" "$DAY"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a project folder for script/renew, with a registry that answers."""
    shutil.copytree(ROOT / "script", tmp_path / "script")
    for name in ("Dockerfile", "compose.yaml"):
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "skopeo").write_text(SKOPEO)
    (tmp_path / "bin" / "skopeo").chmod(0o755)
    return tmp_path


def renew_images(project: Path, day: int) -> subprocess.CompletedProcess[str]:
    path = f"{project / 'bin'}:{os.environ['PATH']}"
    return subprocess.run(
        [project / "script" / "renew", "images"],
        env={"PATH": path, "DAY": str(day)},
        capture_output=True,
        text=True,
        check=False,
    )


def digest(image: str, day: int) -> str:
    text = f'{{"schemaVersion": 2, "name": "docker://docker.io/library/{image}", "day": {day}}}'
    return f"{image}@sha256:{sha256(text.encode()).hexdigest()}"


def test_renew_writes_each_digest_and_keeps_unreachable_images(
    project: Path,
) -> None:
    before = (project / "compose.yaml").read_text("utf-8")
    assert renew_images(project, 1).returncode == 0
    file, compose = project / "Dockerfile", project / "compose.yaml"
    debian = digest("debian:trixie-slim", 1)
    assert f"FROM {debian} AS build\n" in file.read_text("utf-8")
    assert f"FROM {debian}\n" in file.read_text("utf-8")
    first = compose.read_text("utf-8")
    assert f"    image: {digest('caddy:2', 1)}\n" in first
    assert f"    image: {digest('postgres:17', 1)}\n" in first
    assert re.sub("@sha256:[0-9a-f]+", "", first) == re.sub("@sha256:[0-9a-f]+", "", before)
    # On another day, one of the images is missing.
    second = renew_images(project, 2)
    assert second.returncode == 1
    assert "No digest of caddy:2" in second.stderr and "Left out" in second.stderr
    assert digest("debian:trixie-slim", 2) in file.read_text("utf-8")
    assert digest("caddy:2", 1) in compose.read_text("utf-8")
    assert compose.read_text("utf-8").count("@sha256") == 2


def advisories(folder: Path, answer: object) -> str:
    """Return a program that answers like pip-audit to any arguments."""
    program = folder / "pip-audit"
    program.write_text(f"#!/bin/sh\ncat <<'END'\n{answer}\nEND\nexit 1\n")
    program.chmod(0o755)
    return str(program)


SOUND = {"name": "django", "version": "6.1.3", "vulns": []}
BAD = {
    "name": "pillow",
    "version": "13.0.0",
    "vulns": [{"id": "PYSEC-1", "fix_versions": ["13.0.1"], "description": "", "aliases": []}],
}
SKIPPED = {"name": "segno", "skip_reason": "not found"}


@pytest.mark.parametrize(
    ("packages", "status", "words"),
    [
        ([SOUND], 0, "1 packages were looked up; 0 advisories concern them."),
        ([SOUND, BAD], 1, "pillow 13.0.0: PYSEC-1, mended in 13.0.1"),
        ([SOUND, SKIPPED], 1, "Unknown where advisories are published: segno"),
        ([SKIPPED], 0, "Left out: no source of security advisories can be reached."),
        (None, 0, "Left out: no source of security advisories can be reached."),
    ],
    ids=["sound", "an advisory", "some unknown", "all unknown", "no answer"],
)
def test_audit_lists_advisories_or_reports_that_it_cannot_read_them(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    packages: list[object] | None,
    status: int,
    words: str,
) -> None:
    answer = "" if packages is None else json.dumps({"dependencies": packages, "fixes": []})
    assert audit.main(advisories(tmp_path, answer), ROOT) == status
    assert words in capsys.readouterr().out
