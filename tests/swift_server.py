"""A private Swift, OpenStack's object store, which also speaks S3, for tests of buckets."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
# script/lib.sh installs requirements-swift.txt there (packages_beside swift).
PACKAGES = ROOT / "var" / "swift"
STARTS_WITHIN = 120
KEYS = {
    "AWS_ACCESS_KEY_ID": "test:tester",
    "AWS_SECRET_ACCESS_KEY": "testing",
    "AWS_DEFAULT_REGION": "us-east-1",
}
COMMON = """[DEFAULT]
bind_ip = 127.0.0.1
bind_port = {port}
workers = 0
user = {user}
swift_dir = {folder}
devices = {folder}/disks
mount_check = false
"""
STORE = """[pipeline:main]
pipeline = {kind}-server
[app:{kind}-server]
use = egg:swift#{kind}
"""
FILTERS = ("catch_errors", "gatekeeper", "listing_formats", "bulk", "copy", "slo", "dlo")
PROXY = """[pipeline:main]
pipeline = catch_errors gatekeeper listing_formats bulk s3api tempauth copy slo dlo proxy-server
[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true
[filter:s3api]
use = egg:swift#s3api
location = us-east-1
[filter:tempauth]
use = egg:swift#tempauth
user_test_tester = testing .admin
"""
SETTINGS = """[swift-hash]
swift_hash_path_suffix = of
swift_hash_path_prefix = tests
[storage-policy:0]
name = only
default = yes
"""


def is_installed() -> bool:
    """Whether the server's packages are installed beside the project's."""
    return (PACKAGES / "bin" / "swift-proxy-server").is_file()


class Swift:
    """A proxy and a disk for everything, in a temporary folder. ``endpoint``: its S3 address."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="skirmish-swift-"))
        self._processes: list[subprocess.Popen[bytes]] = []
        try:
            (self.folder / "disks" / "d1").mkdir(parents=True)
            (self.folder / "swift.conf").write_text(SETTINGS)
            for kind in ("account", "container", "object"):
                port = self._start(kind, STORE.format(kind=kind), ring=True)
            filters = "".join(f"[filter:{name}]\nuse = egg:swift#{name}\n" for name in FILTERS)
            port = self._start("proxy", PROXY + filters)
        except BaseException:
            self.stop()
            raise
        self.endpoint = f"http://127.0.0.1:{port}"

    def _start(self, kind: str, text: str, *, ring: bool = False) -> int:
        """Start one of the servers, with a ring of one disk for a store; return its port."""
        port = _free_port()
        if ring:
            builder = f"{kind}.builder"
            self._run("swift-ring-builder", builder, "create", "4", "1", "0")
            self._run("swift-ring-builder", builder, "add", f"r1z1-127.0.0.1:{port}/d1", "1")
            self._run("swift-ring-builder", builder, "rebalance")
        user = os.environ.get("USER") or "root"
        head = COMMON.format(port=port, user=user, folder=self.folder)
        (self.folder / f"{kind}.conf").write_text(head + text)
        process = subprocess.Popen(
            self._command(f"swift-{kind}-server", f"{kind}.conf"),
            cwd=self.folder,
            env=self._environment(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        self._processes.append(process)
        until = time.monotonic() + STARTS_WITHIN
        while time.monotonic() < until and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                return port
            except OSError:
                time.sleep(0.1)
        raise RuntimeError(f"Swift's {kind} server does not start")

    def _command(self, program: str, *arguments: str) -> list[str]:
        return [sys.executable, str(PACKAGES / "bin" / program), *arguments]

    def _environment(self) -> dict[str, str]:
        return {**os.environ, "PYTHONPATH": str(PACKAGES), "PYTHONWARNINGS": "ignore"}

    def _run(self, program: str, *arguments: str) -> None:
        done = subprocess.run(
            self._command(program, *arguments),
            cwd=self.folder,
            env=self._environment(),
            capture_output=True,
            check=False,
        )
        # 1 is only a warning: one disk is no safe place.
        if done.returncode > 1:
            raise RuntimeError(done.stdout.decode() + done.stderr.decode())

    def stop(self) -> None:
        """Stop all servers and delete their data."""
        for process in self._processes:
            process.kill()
            process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        port: int = found.getsockname()[1]
    return port
