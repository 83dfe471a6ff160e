"""``python -m tests.api.fuzz``: Schemathesis asks a site of its own everything that the API's
description allows, as five readers; no answer may contradict the description. Afterwards, a client
that is generated from the description signs in.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from random import SystemRandom
from typing import TYPE_CHECKING

from tests.hostile.site import ROOT, Site

if TYPE_CHECKING:
    from tests.hostile.club import Club

PACKAGES = ROOT / "var" / "schemathesis"
GENERATOR = ROOT / "var" / "client"
# Signs in with the generated client, and writes the account's name and number of gangs.
PROGRAM = """
import sys
from generated import AuthenticatedClient
from generated.api.default import api_operations_gangs, api_operations_me
client = AuthenticatedClient(base_url=sys.argv[1], token=sys.argv[2])
me = api_operations_me.sync(client=client)
print(me.name, len(api_operations_gangs.sync(client=client).results))
"""
# The others would have to know which ids exist, and which words a rulebook has.
CHECKS = (
    "not_a_server_error",
    "status_code_conformance",
    "content_type_conformance",
    "response_schema_conformance",
    "unsupported_method",
    "ignored_auth",
)


def main() -> int:
    """Ask; return 1 if an answer was wrong."""
    parser = argparse.ArgumentParser(prog="script/prove-api", description=__doc__)
    parser.add_argument("--examples", type=int, default=100, help="for each operation (100)")
    parser.add_argument("--seed", type=int, default=SystemRandom().randrange(10**6))
    chosen = parser.parse_args()
    os.environ["API_REQUESTS_A_MINUTE"] = str(10**6)
    site = Site()
    try:
        site.start()
        from tests.hostile import club

        here = club.make(club.slug_of(chosen.seed))
        watch = f"watch_{here.campaign.watch_key}"
        readers = {**here.tokens, "spectator": watch, "inventor": f"watch_{'x' * 22}"}
        failed = [
            name
            for name in ("owner", "reader", "stranger", "spectator", "inventor")
            if ask(site, _settings(here, site), readers[name], chosen)
        ]
        if not signs_in(site, readers["owner"], here.people["owner"].username):
            failed.append("a generated client")
    finally:
        site.stop()
    print(f"Seed {chosen.seed}. Wrong answers to: {', '.join(failed) or 'nobody'}.")
    return bool(failed)


def signs_in(site: Site, token: str, name: str) -> bool:
    """Whether a client that a kept tool generates from the description reads as its owner."""
    folder = Path(site.folder.name)
    settings = folder / "client.yaml"
    settings.write_text("post_hooks: []\n", encoding="utf-8")
    environment = {**os.environ, "PYTHONPATH": f"{GENERATOR}:{folder}"}
    generate = [
        sys.executable,
        "-m",
        "openapi_python_client",
        "generate",
        "--meta",
        "none",
        "--path",
        str(ROOT / "docs" / "openapi.json"),
        "--config",
        str(settings),
        "--output-path",
        str(folder / "generated"),
    ]
    subprocess.run(generate, env=environment, cwd=folder, check=True)
    address = f"http://127.0.0.1:{site.port}"
    answer = subprocess.run(
        [sys.executable, "-c", PROGRAM, address, token],
        env=environment,
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
    )
    print(f"A generated client: {answer.stdout.strip() or answer.stderr}")
    read, _space, gangs = answer.stdout.strip().rpartition(" ")
    return read == name and int(gangs) > 0


def ask(site: Site, settings: Path, token: str, chosen: argparse.Namespace) -> int:
    """Ask as one reader; returns the program's status."""
    command = [
        sys.executable,
        "-m",
        "schemathesis.cli",
        "--config-file",
        str(settings),
        "run",
        str(ROOT / "docs" / "openapi.json"),
        "--url",
        f"http://127.0.0.1:{site.port}",
        "--header",
        f"Authorization: Bearer {token}",
        "--checks",
        ",".join(CHECKS),
        "--seed",
        str(chosen.seed),
        "--max-examples",
        str(chosen.examples),
        "--phases",
        "coverage,fuzzing",
        "--suppress-health-check",
        "all",
        "--warnings",
        "off",
    ]
    environment = {**os.environ, "PYTHONPATH": str(PACKAGES)}
    return subprocess.run(command, env=environment, cwd=site.folder.name, check=False).returncode


def _settings(here: Club, site: Site) -> Path:
    """A file that names an id of each kind in the club, so that most questions find something."""
    from tests.hostile.programs import ids_of

    lines = ["[parameters]"]
    lines += [f'"path.{name}" = {json.dumps(keys[0])}' for name, keys in ids_of(here).items()]
    path = Path(site.folder.name) / "schemathesis.toml"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


if __name__ == "__main__":
    sys.exit(main())
