"""The cost of reading catalogues of army builders.

    .venv/bin/python bench/catalogues.py [MEGABYTES]

Linux only. A game system with one catalogue of invented fighters, MEGABYTES (default 10) large (12
reach the limit of elements), each with a profile, limits, options, modifiers and costs; as XML and
as New Recruit's JSON. Each is read in a new process: seconds of the processor, and megabytes of
memory that reading adds at its peak.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MEGABYTES = 10
SYSTEM = """<gameSystem id="sys" name="Bog Lanterns" battleScribeVersion="2.03">
<costTypes><costType id="shells" name="Shells"/></costTypes>
<profileTypes><profileType id="wader" name="Wader"><characteristicTypes>
<characteristicType id="speed" name="Speed"/><characteristicType id="wit" name="Wit"/>
</characteristicTypes></profileType></profileTypes>
</gameSystem>"""
HEAD = '<catalogue id="herons" name="Herons" gameSystemId="sys" battleScribeVersion="2.03">'
FIGHTER = """<selectionEntry id="e{0}-4f1c-9d2b" name="Heron {0}" hidden="false" import="true"
 collective="false" type="model" page="{0}"><modifiers><modifier type="increment"
 field="shells" value="5.0"><conditions><condition field="selections" scope="parent" value="1.0"
 percentValue="false" shared="true" includeChildSelections="true" includeChildForces="false"
 childId="s{0}-77aa-01bc" type="atLeast"/></conditions></modifier></modifiers><constraints>
<constraint field="selections" scope="force" value="3.0" percentValue="false" shared="true"
 includeChildSelections="true" includeChildForces="false" id="c{0}-1a2b" type="max"/></constraints>
<profiles><profile id="p{0}-99ee" name="Heron {0}" hidden="false" typeId="wader" typeName="Wader">
<characteristics><characteristic name="Speed" typeId="speed">{0}"</characteristic>
<characteristic name="Wit" typeId="wit">+2</characteristic></characteristics></profile></profiles>
<selectionEntries><selectionEntry id="s{0}-77aa-01bc" name="Spear" hidden="false" import="true"
 type="upgrade"><costs><cost name="Shells" typeId="shells" value="2.0"/></costs></selectionEntry>
</selectionEntries><costs><cost name="Shells" typeId="shells" value="12.0"/></costs>
</selectionEntry>"""
READ = """
import re, sys, time
from pathlib import Path
from rules.catalogues.reading import read_files
def peak():
    return int(re.search("VmHWM:\\s+([0-9]+) kB", Path("/proc/self/status").read_text())[1])
files = [(name, Path(name).read_bytes()) for name in sys.argv[1:]]
before = peak()
began = time.process_time()
system = read_files(files)
assert len(system.catalogues[0].roots) > 100 and not system.unknown
print(time.process_time() - began, (peak() - before) / 1024)
"""


def write_catalogue(size: int) -> str:
    """Return a catalogue of about ``size`` bytes."""
    count = size // len(FIGHTER)
    inside = "".join(FIGHTER.format(number) for number in range(count))
    return f"{HEAD}<selectionEntries>{inside}</selectionEntries></catalogue>"


def main() -> None:
    """Print the table."""
    sys.path.insert(0, str(ROOT))
    from tests.rules.catalogues.reading.formats import as_json

    megabytes = int(sys.argv[1]) if len(sys.argv) > 1 else MEGABYTES
    text = write_catalogue(megabytes << 20)
    print("| file | MB | s | more MB |\n| --- | --- | --- | --- |")
    with tempfile.TemporaryDirectory() as folder:
        system = Path(folder, "bog.gst")
        system.write_text(SYSTEM)
        for name, written in (("XML", text), ("JSON", as_json(text))):
            file = Path(folder, "herons")
            file.write_text(written)
            command = [sys.executable, "-c", READ, str(system), str(file)]
            done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
            seconds, more = map(float, done.stdout.split())
            print(f"| {name} | {len(written) / 2**20:.1f} | {seconds:.1f} | {more:.0f} |")


if __name__ == "__main__":
    main()
