"""The release that runs: its version, and the commit that it was built from.

``git archive`` and the container image write the commit to ``commit.txt``. A checkout reads its own
repository, without git, which refuses the repository of another user.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

# A SHA-1 or a SHA-256.
COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
# As many characters of a commit as people read.
SHORT = 12


def read_version(root: Path) -> str:
    """Return the version in a project's pyproject.toml."""
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    return str(project["version"])


def read_commit(root: Path) -> str:
    """Return the commit of a release or a checkout; "" if it is unknown."""
    try:
        baked = (root / "skirmish" / "commit.txt").read_text("ascii").strip()
        return baked if COMMIT.fullmatch(baked) else _head(root / ".git")
    except (OSError, UnicodeDecodeError):
        return ""


def describe(version: str, commit: str) -> str:
    """Describe a release for people, such as ``0.9.0 (0123456789ab)``."""
    return f"{version} ({commit[:SHORT]})" if commit else version


def _head(git: Path) -> str:
    """Return the commit that a repository has checked out. Raises OSError."""
    if git.is_file():
        # A worktree, whose branches are in the repository that it belongs to.
        git = git.parent / git.read_text("utf-8").removeprefix("gitdir:").strip()
    head = (git / "HEAD").read_text("utf-8").strip()
    name = head.removeprefix("ref: ")
    if name == head:
        return head if COMMIT.fullmatch(head) else ""
    link = git / "commondir"
    common = git / link.read_text("utf-8").strip() if link.is_file() else git
    if (common / name).is_file():
        found = (common / name).read_text("ascii").strip()
        return found if COMMIT.fullmatch(found) else ""
    for line in (common / "packed-refs").read_text("utf-8").splitlines():
        found, _, branch = line.partition(" ")
        if branch == name and COMMIT.fullmatch(found):
            return found
    return ""
