"""``script/test`` and ``.ci/run`` run the parts that they promise, count them, and end them.

They run in a copy of the scripts, where Python, apt and the other programs only note their calls.
"""

from __future__ import annotations

import os
import re
import select
import signal
import subprocess
from io import FileIO
from pathlib import Path
from shutil import copy, copytree, which

import pytest

ROOT = Path(__file__).parents[1]
TEST = (ROOT / "script" / "test").read_text("utf-8")
# Answers like pytest. PYTEST: commands that decide how it ends.
PYTHON = """#!/usr/bin/env bash
[ "$1 $2" = "-m pytest" ] || exit 0
echo "DATABASE_URL=${DATABASE_URL:-} $*" >>calls
eval "${PYTEST:-}"
echo "========= 3 passed, 2 skipped in 1.25s (0:00:01) ========="
"""
# For PYTEST.
FAULTS = 'echo "=== 2 failed, 1 passed, 1 error in 3.00s ==="; exit 1'
APT = """#!/usr/bin/env bash
echo "apt-get $*" >>calls
case " $* " in *" ${LACKING:-none} "*) echo "E: Unable to locate package" >&2; exit 100 ;; esac
"""
LIBRARIES = """#!/usr/bin/env bash
echo libpango-1.0.so.0 libpangoft2-1.0.so.0 libharfbuzz-subset.so.0 libatomic.so.1
"""
# Options that name no part, or a smaller one than another option does.
BESIDE = {"near", "all", "fast", "papers", "short", "help"}
# Seconds after which a command hangs.
PATIENCE = 120


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Return a folder with the scripts, a Python that runs no test, and no PostgreSQL."""
    for name in ("script", ".ci"):
        copytree(ROOT / name, tmp_path / name)
    copy(ROOT / "requirements-dev.txt", tmp_path)
    # As if they were installed.
    for name in ("swift", "two-sites"):
        (tmp_path / "var" / name).mkdir(parents=True)
        copy(ROOT / f"requirements-{name}.txt", tmp_path)
        copy(ROOT / f"requirements-{name}.txt", tmp_path / "var" / name / "requirements.txt")
    with (tmp_path / "script" / "postgres.sh").open("a") as file:
        file.write("\nfind_postgres() { return 1; }\n")
    programs = {
        "bin/apt-get": APT,
        "bin/ldconfig": LIBRARIES,
        "bin/npm": "#!/bin/sh\nexit 1\n",
        "bin/sudo": '#!/bin/sh\nshift\nexec "$@"\n',
        ".venv/bin/python": PYTHON,
    }
    for name in ("msgfmt", "pdftotext", "chromium"):
        programs[f"bin/{name}"] = "#!/bin/sh\n"
    for name, text in programs.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        path.chmod(0o755)
    stamp = 'echo "$(cksum <requirements-dev.txt) requirements-dev.txt" >.venv/.installed'
    subprocess.run(["bash", "-c", stamp], cwd=tmp_path, check=True)
    (tmp_path / "tests").mkdir()
    return tmp_path


def known_programs(project: Path) -> str:
    """Return a PATH without this machine's programs, except a few that every system has."""
    for name in ("bash", "sh", "env", "id", "dirname", "basename", "grep"):
        (project / "bin" / name).symlink_to(str(which(name)))
    return str(project / "bin")


def start(
    project: Path, *command: str, pass_fds: tuple[int, ...] = (), **variables: str
) -> subprocess.Popen[str]:
    path = f"{project / 'bin'}:{os.environ['PATH']}"
    return subprocess.Popen(
        command,
        cwd=project,
        env={"PATH": path, "HOME": str(project), **variables},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        pass_fds=pass_fds,
    )


def run(project: Path, *command: str, **variables: str) -> tuple[int, str]:
    """Return the status, and everything that the command printed."""
    with start(project, *command, **variables) as process:
        output, _ = process.communicate(timeout=PATIENCE)
    return process.returncode, output


def calls(project: Path) -> str:
    path = project / "calls"
    return path.read_text() if path.exists() else ""


def options() -> set[str]:
    """Return the options that script/test knows, without their dashes."""
    known = TEST.partition('case "$1" in')[2].partition("esac")[0]
    return set(re.findall(r"^ +--([a-z]+)\b", known, re.M))


def test_help_lists_every_option(project: Path) -> None:
    status, shown = run(project, "script/test", "--help")
    assert status == 0 and len(options()) > 10
    explained = set(re.findall(r"^ +(?:script/test )?--([a-z]+) ", shown, re.M))
    assert explained == options() - {"help"}
    assert "set -euo" not in shown


def test_bare_command_runs_the_short_parts_and_says_which_ones_it_leaves_out(project: Path) -> None:
    status, shown = run(project, "script/test")
    made = calls(project).splitlines()
    assert status == 0
    assert len(made) == 2 and "apt-get" not in "".join(made)
    assert sum("-m not browser and not long" in call for call in made) == 1
    assert sum("-m browser and not long" in call for call in made) == 1
    left_out = shown.partition("Left out:")[2]
    assert {
        name for name in options() - BESIDE if f"script/test --{name} " not in left_out
    } == set()
    assert "script/test --all " in left_out and "script/prove --all " in left_out
    assert "PostgreSQL, which is not installed" in left_out
    assert shown.splitlines()[-1] == "6 passed, 0 failed"
    assert shown.count("3 passed, 2 skipped in 1.25s (0:00:01) =") == 2, "no output is lost"
    assert "Pictures of the pages" not in shown, "they take time"


def test_bare_command_uses_a_postgresql_for_its_own_part_only(project: Path) -> None:
    address = "postgres://somewhere"
    status, shown = run(project, "script/test", DATABASE_URL=address)
    on_postgres = [call for call in calls(project).splitlines() if address in call]
    assert status == 0 and len(calls(project).splitlines()) == 3
    assert len(on_postgres) == 1 and "tests/upgrades" in on_postgres[0]
    assert shown.splitlines()[-1] == "9 passed, 0 failed"
    assert "not installed" not in shown and "script/test --postgres " in shown


def test_files_that_run_on_postgresql_exist() -> None:
    listed = TEST.partition("on_postgres=(")[2].partition(")")[0].split()
    assert len(listed) > 8 and listed == sorted(set(listed))
    assert [name for name in listed if not (ROOT / name).exists()] == []


def test_all_runs_every_part_of_the_bare_command_as_a_whole(project: Path) -> None:
    status, shown = run(project, "script/test", "--all", DATABASE_URL="postgres://somewhere")
    made = calls(project)
    assert status == 0, shown
    assert "-m not browser\n" in made and "-m browser\n" in made and "tests/upgrades" in made
    assert "tests/common/test_bucket.py" in made
    left_out = shown.partition("Left out:")[2]
    assert "--postgres" in left_out and "--plain" not in left_out and "--all\n" not in left_out


def test_arguments_choose_tests_of_all_parts(project: Path) -> None:
    status, shown = run(project, "script/test", "tests/test_one.py")
    made = calls(project).splitlines()
    assert status == 0 and len(made) == 2 and "not long" not in "".join(made)
    assert all(call.endswith(" tests/test_one.py") for call in made)
    assert "Left out" not in shown


@pytest.mark.parametrize(
    ("ends", "ci", "total"),
    [
        (FAULTS, "", "3 passed, 9 failed"),
        # Tests that failed run once more, for their messages.
        (FAULTS, "true", "3 passed, 9 failed"),
        # Killed, without a closing line.
        ("exit 137", "", "0 passed, 3 failed"),
        # Something else than a test failed.
        ('echo "=== 5 passed in 3.00s ==="; exit 3', "", "15 passed, 3 failed"),
    ],
)
def test_bare_command_fails_when_a_part_fails_and_counts_it_once(
    project: Path, ends: str, ci: str, total: str
) -> None:
    status, shown = run(project, "script/test", PYTEST=ends, CI=ci, DATABASE_URL="postgres://here")
    assert (status, shown.splitlines()[-1]) == (1, total)
    assert shown.count("2 failed") == (9 if ci else 6) * (ends == FAULTS)


@pytest.mark.parametrize("command", ["script/test", "script/test --postgres"])
def test_only_ci_installs_postgresql(project: Path, command: str) -> None:
    """Debian's package also starts a server at each boot."""
    _, shown = run(project, *command.split())
    assert "apt-get" not in calls(project) and "PostgreSQL" in shown
    # The server that this apt-get installs is not found afterwards.
    status, _ = run(project, *command.split(), CI="true")
    assert status == 1
    assert re.search("^apt-get install .* postgresql$", calls(project), re.M)


@pytest.mark.parametrize(
    ("step", "lacking", "other"),
    [
        ("redis_server", "valkey-server", "redis-server"),
        ("browser", "chromium-headless-shell", ""),
    ],
)
def test_step_with_another_way_reports_no_failure(
    project: Path, step: str, lacking: str, other: str
) -> None:
    command = f"source script/lib.sh; {step}"
    path = known_programs(project)
    status, shown = run(project, "bash", "-ec", command, PATH=path, CI="true", LACKING=lacking)
    assert status == 0, shown
    assert f" {lacking}\n" in calls(project) and f" {other}\n" in calls(project) + " \n"
    assert not re.search("failed|by hand|Unable", shown)


def test_step_without_another_way_says_what_to_install(project: Path) -> None:
    command = "source script/lib.sh; apt_install firefox-esr"
    status, shown = run(project, "bash", "-ec", command, LACKING="firefox-esr")
    assert status == 1
    assert "Install by hand: apt-get install --no-install-recommends firefox-esr" in shown


def test_ci_runs_the_checks_and_the_tests_and_nothing_else() -> None:
    program = re.sub("^ *#.*$", "", (ROOT / ".ci" / "run").read_text("utf-8"), flags=re.M)
    assert re.findall(r"script/[\w.-]+", program) == [
        "script/lib.sh",
        "script/check",
        "script/test",
    ]
    assert not re.search("pytest|PYTHON|TEST_|install|--", program.replace("die", ""))


@pytest.mark.parametrize("failing", ["", "check", "test"])
def test_ci_runs_both_and_fails_when_either_fails(project: Path, failing: str) -> None:
    for name in ("check", "test"):
        status = int(name == failing)
        text = f'#!/bin/sh\necho "{name} with CI=$CI"\nexit {status}\n'
        (project / "script" / name).write_text(text)
    status, shown = run(project, ".ci/run")
    assert status == bool(failing)
    assert shown.splitlines()[:2] == ["check with CI=true", "test with CI=true"]
    assert shown.splitlines()[2:] == ([f"Failed: script/{failing}"] if failing else [])


@pytest.mark.parametrize("command", ["script/test", ".ci/run"])
def test_parts_end_with_the_command_that_started_them(project: Path, command: str) -> None:
    (project / "script" / "check").write_text("#!/bin/sh\n")
    alive, held = os.pipe()
    # Each part holds the pipe open, and writes a line to it.
    hang = f"echo >&{held}; exec sleep 300"
    with os.fdopen(alive, "rb", buffering=0) as pipe:
        with start(project, command, pass_fds=(held,), PYTEST=hang) as process:
            os.close(held)
            assert read(pipe) + read(pipe) == b"\n\n"
            process.send_signal(signal.SIGTERM)
        assert read(pipe) == b"", "a part still runs"


def read(pipe: FileIO) -> bytes:
    """Return the next byte; nothing when no process holds the pipe any more."""
    assert select.select([pipe], [], [], PATIENCE)[0], "no process ends or answers"
    return pipe.read(1)
