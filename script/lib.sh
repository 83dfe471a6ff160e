# Shared by the scripts beside this file: find a Python, make the environment, add what is missing.
# Sourced, not run. Everything lands in .venv and var, except system packages, which apt installs
# when it may; otherwise the exact command is printed.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT"
VENV="$ROOT/.venv"
PYTHON="$VENV/bin/python"
export PIP_DISABLE_PIP_VERSION_CHECK=1

say() { printf '%s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

new_enough() {
    # Run it: a version manager's stand-in may be on the PATH and still not start.
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1
}

find_python() {
    local candidate
    for candidate in ${PYTHON_BIN:+"$PYTHON_BIN"} python3.13 python3.12 python3.14 python3 python \
        "$HOME"/.pyenv/versions/3.1[2-9]*/bin/python; do
        if new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    if command -v uv >/dev/null 2>&1; then
        candidate="$(uv python find '>=3.12' 2>/dev/null || true)"
        if [ -n "$candidate" ] && new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    fi
    die "Skirmish needs Python 3.12 or newer. Install it (Debian: apt-get install python3 python3-venv;" \
        "or with uv: uv python install 3.13) and run this again, or name one: PYTHON_BIN=/path/to/python."
}

apt_install() {
    local as=()
    if ! command -v apt-get >/dev/null 2>&1; then
        die "Missing on this system: $*. Install them (these are Debian's names) and run this again."
    fi
    if [ "$(id -u)" != 0 ]; then
        sudo -n true 2>/dev/null || die "Missing: $*. Run: sudo apt-get install --no-install-recommends $*"
        as=(sudo -n)
    fi
    say "Installing $*"
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null >&2 || true
    "${as[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "$@" \
        </dev/null >&2 || die "That failed. Install by hand: apt-get install --no-install-recommends $*"
}

has_library() {
    if command -v ldconfig >/dev/null 2>&1; then
        ldconfig -p | grep -F "$1" >/dev/null
    elif [ -x /sbin/ldconfig ]; then
        /sbin/ldconfig -p | grep -F "$1" >/dev/null
    fi  # without ldconfig (macOS) nothing is known; WeasyPrint says itself what it misses
}

native_libraries() {
    local missing=()
    has_library libpango-1.0.so.0 || missing+=(libpango-1.0-0)
    has_library libpangoft2-1.0.so.0 || missing+=(libpangoft2-1.0-0)
    # Without this one fonts are cut down in Python, which takes three times as long.
    has_library libharfbuzz-subset.so.0 || missing+=(libharfbuzz-subset0)
    command -v msgfmt >/dev/null 2>&1 || missing+=(gettext)
    [ ${#missing[@]} = 0 ] || apt_install "${missing[@]}"
}

# environment requirements-dev.txt: make .venv and install, only when the file changed.
environment() {
    local list="$1" stamp="$VENV/.installed" wanted base
    if [ ! -x "$PYTHON" ] || ! new_enough "$PYTHON"; then
        base="$(find_python)"
        say "Making the environment in .venv with $("$base" --version)"
        rm -rf "$VENV"
        "$base" -m venv "$VENV" || {
            rm -rf "$VENV"
            apt_install python3-venv
            "$base" -m venv "$VENV"
        }
    fi
    # The longer list contains the shorter, so either satisfies the server.
    wanted="$(cksum <"$list") $list"
    if [ "$list" = requirements.txt ] && [ -f "$stamp" ] &&
        [ "$(cat "$stamp")" = "$(cksum <requirements-dev.txt) requirements-dev.txt" ]; then
        wanted="$(cat "$stamp")"
    fi
    if [ ! -f "$stamp" ] || [ "$(cat "$stamp")" != "$wanted" ]; then
        say "Installing $list"
        if "$PYTHON" -m pip --version >/dev/null 2>&1 || "$PYTHON" -m ensurepip >/dev/null 2>&1; then
            "$PYTHON" -m pip install --quiet -r "$list" </dev/null
        else
            VIRTUAL_ENV="$VENV" uv pip install --quiet -r "$list" </dev/null
        fi
        printf '%s\n' "$wanted" >"$stamp"
    fi
    native_libraries
    translations
}

translations() {
    local po
    for po in locale/*/LC_MESSAGES/*.po; do
        [ -f "$po" ] || continue
        [ "${po%.po}.mo" -nt "$po" ] || msgfmt -o "${po%.po}.mo" "$po"
    done
}

find_chromium() {
    local name
    for name in ${CHROMIUM:+"$CHROMIUM"} chromium chromium-browser google-chrome; do
        if command -v "$name" >/dev/null 2>&1; then
            command -v "$name"
            return
        fi
    done
    return 1
}

# The tests read printed sheets back with it.
pdf_reader() {
    command -v pdftotext >/dev/null 2>&1 || apt_install poppler-utils
}

browser() {
    find_chromium >/dev/null || apt_install chromium
    CHROMIUM="$(find_chromium)" || die "No Chromium found. Name one: CHROMIUM=/path/to/chromium"
    export CHROMIUM
}
