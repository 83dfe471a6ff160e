"""The release that runs is known: in a checkout, a worktree, an archive and the image."""

from __future__ import annotations

import re
import subprocess
import tarfile
from hashlib import sha256
from pathlib import Path

import pytest
from django.conf import settings

from skirmish.release import describe, read_commit, read_version

ROOT = Path(settings.BASE_DIR)
ONE, OTHER = "1" * 40, "2" * 64


def make_checkout(root: Path, head: str) -> Path:
    """Make the parts of a checkout that name its commit; return its repository."""
    (root / "skirmish").mkdir(parents=True)
    (root / "skirmish" / "commit.txt").write_text("$Format:%H$\n")
    git = root / ".git"
    git.mkdir()
    (git / "HEAD").write_text(f"{head}\n")
    return git


def test_archive_and_image_name_the_commit_in_a_file(tmp_path: Path) -> None:
    make_checkout(tmp_path, "ref: refs/heads/main")
    (tmp_path / "skirmish" / "commit.txt").write_text(f"{ONE}\n")
    assert read_commit(tmp_path) == ONE


@pytest.mark.parametrize("commit", [ONE, OTHER])
def test_checkout_reads_its_branch_or_a_detached_head(tmp_path: Path, commit: str) -> None:
    git = make_checkout(tmp_path, "ref: refs/heads/a/branch")
    (git / "packed-refs").write_text(f"# pack-refs\n{ONE[::-1]} refs/heads/main\n")
    assert read_commit(tmp_path) == ""
    (git / "packed-refs").write_text(f"# pack-refs\n{commit} refs/heads/a/branch\n^{ONE}\n")
    assert read_commit(tmp_path) == commit
    (git / "refs" / "heads" / "a").mkdir(parents=True)
    (git / "refs" / "heads" / "a" / "branch").write_text(f"{ONE}\n")
    assert read_commit(tmp_path) == ONE
    (git / "HEAD").write_text(f"{commit}\n")
    assert read_commit(tmp_path) == commit


def test_worktree_reads_the_repository_that_it_belongs_to(tmp_path: Path) -> None:
    git = make_checkout(tmp_path / "main", "ref: refs/heads/main")
    inner = git / "worktrees" / "other"
    inner.mkdir(parents=True)
    (inner / "HEAD").write_text("ref: refs/heads/other\n")
    (inner / "commondir").write_text("../..\n")
    (git / "refs" / "heads").mkdir(parents=True)
    (git / "refs" / "heads" / "other").write_text(f"{ONE}\n")
    (tmp_path / "other" / "skirmish").mkdir(parents=True)
    (tmp_path / "other" / "skirmish" / "commit.txt").write_text("$Format:%H$\n")
    (tmp_path / "other" / ".git").write_text(f"gitdir: {inner}\n")
    assert read_commit(tmp_path / "other") == ONE


@pytest.mark.parametrize("head", ["ref: refs/heads/gone", "nonsense", "ref: ../../secret"])
def test_unknown_commit_is_left_out(tmp_path: Path, head: str) -> None:
    make_checkout(tmp_path, head)
    assert read_commit(tmp_path) == ""
    assert read_commit(tmp_path / "nowhere") == ""
    assert describe("1.2.3", "") == "1.2.3"
    assert describe("1.2.3", ONE) == "1.2.3 (111111111111)"


def test_settings_name_version_and_commit_of_this_checkout() -> None:
    assert read_version(ROOT) == settings.VERSION
    assert describe(settings.VERSION, settings.COMMIT) == settings.RELEASE
    done = subprocess.run(
        ["git", "-c", "safe.directory=*", "rev-parse", "HEAD"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    # A release without its repository has the commit in its file.
    if done.returncode == 0:
        assert done.stdout.strip() == settings.COMMIT


def test_image_takes_only_the_names_of_commits_from_the_repository() -> None:
    """Its other files may contain passwords, and everything that was ever committed."""
    left_out = (ROOT / ".dockerignore").read_text("utf-8").splitlines()
    taken = [line for line in left_out if line.startswith("!")]
    assert taken == ["!.git/HEAD", "!.git/packed-refs", "!.git/refs/heads"]
    assert left_out.index(".git") < left_out.index(taken[0])
    image = (ROOT / "Dockerfile").read_text("utf-8")
    assert "read_commit" in image and "rm -rf .git" in image


@pytest.mark.long
def test_release_has_an_archive_that_names_its_commit_and_checksums(tmp_path: Path) -> None:
    done = subprocess.run(
        ["script/release", "--no-image", str(tmp_path / "out")],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    name = f"skirmish-{settings.VERSION}"
    archive = tmp_path / "out" / f"{name}.tar.gz"
    packages = tmp_path / "out" / f"{name}-packages.txt"
    assert archive.name in done.stderr and "no image" in done.stderr
    sums = dict(
        reversed(line.split("  "))
        for line in (tmp_path / "out" / "SHA256SUMS").read_text().splitlines()
    )
    assert sums == {
        path.name: sha256(path.read_bytes()).hexdigest() for path in (archive, packages)
    }
    with tarfile.open(archive) as opened:
        opened.extractall(tmp_path / "in", filter="data")
    assert read_commit(tmp_path / "in" / name) == settings.COMMIT
    assert not (tmp_path / "in" / name / ".git").exists()
    assert re.search(r"^django==[\d.]+ ", packages.read_text(), re.M)
    assert packages.read_text().count("--hash=sha256:") > 100
