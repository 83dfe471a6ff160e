# Shared by the scripts beside this file: find a Python, make the environment, add what is missing.
# Sourced, not run. Everything is put in .venv and var, except system packages, which apt installs
# if it may; otherwise the exact command is printed.

ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
cd "$ROOT"
VENV="$ROOT/.venv"
PYTHON="$VENV/bin/python"
export PIP_DISABLE_PIP_VERSION_CHECK=1
# The tests start many processes, which share their compiled modules.
unset PYTHONDONTWRITEBYTECODE

say() { printf '%s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

new_enough() {
    # Run it: a version manager's stand-in may be on the PATH and still not start.
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 12))' >/dev/null 2>&1
}

find_python() {
    local candidate uv
    for candidate in ${PYTHON_BIN:+"$PYTHON_BIN"} python3.13 python3.12 python3.14 python3 python \
        "${HOME:-}"/.pyenv/versions/3.1[2-9]*/bin/python; do
        if new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    # Its installer's folder, which may not be on a new user's PATH yet.
    for uv in uv "${HOME:-}/.local/bin/uv"; do
        candidate="$("$uv" python find '>=3.12' 2>/dev/null || true)"
        if [ -n "$candidate" ] && new_enough "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    return 1
}

# The distribution's Python, if it is new enough: Debian 13's and Ubuntu 24.04's are.
install_python() {
    local offered=""
    if has_apt; then
        # Without its lists, as on a new machine, apt knows no packages.
        may_install && apt_update
        offered="$(apt-cache policy python3 | sed -n 's/^ *Candidate: \([0-9]\)/\1/p')"
        if dpkg --compare-versions "${offered:-0}" ge 3.12; then
            apt_install python3 python3-venv
            return
        fi
    fi
    say "Skirmish needs Python 3.12 or newer, which this system lacks${offered:+ (its packages offer $offered)}."
    say "Install one and run this again, or name one: PYTHON_BIN=/path/to/python."
    say "Debian 13 and Ubuntu 24.04, and newer ones, have it: apt-get install python3 python3-venv."
    say "Older ones get it with uv: apt-get install pipx, pipx install uv, ~/.local/bin/uv python install 3.13."
    exit 1
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo -n "$@"; fi
}

may_install() {
    as_root true 2>/dev/null
}

apt_update() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq </dev/null >&2 || true
}

has_apt() { command -v apt-get >/dev/null 2>&1; }

apt_get_install() {
    apt_update
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends \
        -o DPkg::Lock::Timeout=300 "$@" \
        </dev/null >/dev/null
}

# apt_install PACKAGES: what nothing can replace; without it, the script ends.
apt_install() {
    has_apt || die "Missing on this system: $*. Install them (these are Debian's names) and run this again."
    may_install || die "Missing: $*. Run as root: apt-get install --no-install-recommends $*"
    say "Installing $*"
    apt_get_install "$@" || die "That failed. Install by hand: apt-get install --no-install-recommends $*"
}

# try_install PACKAGES: where there is another way without them, so a failure needs no words.
try_install() {
    has_apt && may_install || return
    say "Looking for $*"
    apt_get_install "$@" 2>/dev/null
}

# start_group COMMAND...: begin a job as a process group, whose number is $!; end_groups ends all of them as a whole.
start_group() {
    set -m
    "$@" </dev/null &
    set +m
}

end_groups() {
    local job
    for job in $(jobs -p); do kill -- "-$job" 2>/dev/null || true; done
}

has_library() {
    if command -v ldconfig >/dev/null 2>&1; then
        ldconfig -p | grep -F "$1" >/dev/null
    elif [ -x /sbin/ldconfig ]; then
        /sbin/ldconfig -p | grep -F "$1" >/dev/null
    fi  # without ldconfig (macOS) nothing is known; WeasyPrint reports missing libraries itself
}

native_libraries() {
    local missing=()
    has_library libpango-1.0.so.0 || missing+=(libpango-1.0-0)
    has_library libpangoft2-1.0.so.0 || missing+=(libpangoft2-1.0-0)
    # Without this library, fonts are subset in Python, which takes three times as long.
    has_library libharfbuzz-subset.so.0 || missing+=(libharfbuzz-subset0)
    command -v msgfmt >/dev/null 2>&1 || missing+=(gettext)
    [ ${#missing[@]} = 0 ] || apt_install "${missing[@]}"
}

# environment requirements-dev.txt: make .venv and install, only when the file changed; and the
# system's packages for prints and translations.
environment() {
    python_environment "$1"
    native_libraries
    translations
}

python_environment() {
    local list="$1" stamp="$VENV/.installed" wanted base error
    if [ ! -x "$PYTHON" ] || ! new_enough "$PYTHON"; then
        base="$(find_python)" || {
            install_python
            base="$(find_python)" || die "No Python 3.12 or newer was found after that."
        }
        say "Making the environment in .venv with $("$base" --version)"
        rm -rf "$VENV"
        error="$("$base" -m venv "$VENV" 2>&1)" || {
            rm -rf "$VENV"
            try_install python3-venv || die "$error"
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
        # Python compiles what it imports; compiling every package first takes longer than the rest.
        if "$PYTHON" -m pip --version >/dev/null 2>&1 || "$PYTHON" -m ensurepip >/dev/null 2>&1; then
            "$PYTHON" -m pip install --quiet --no-compile --require-hashes -r "$list" </dev/null
        else
            VIRTUAL_ENV="$VENV" uv pip install --quiet --require-hashes -r "$list" </dev/null
        fi
        printf '%s\n' "$wanted" >"$stamp"
    fi
}

# packages_beside NAME: install packages that only some scripts need (requirements-NAME.txt)
# in a folder of their own under var, where Python finds them first.
packages_beside() {
    install_beside "$1"
    export PYTHONPATH="$ROOT/var/$1"
}

# install_beside NAME: the same for a program that runs in processes of its own.
install_beside() {
    local list="requirements-$1.txt" folder="$ROOT/var/$1"
    cmp -s "$list" "$folder/requirements.txt" || {
        rm -rf "$folder"
        "$PYTHON" -m pip install -q --target "$folder" --require-hashes -r "$list" </dev/null
        cp "$list" "$folder/requirements.txt"
    }
}

# heading: print the head of a proof's figures: day, commit, command, machine, versions.
heading() {
    "$PYTHON" -m tests.heading "script/$(basename "$0")" "$@"
}

# Programs for maintaining the project, in an environment of their own: the site's has only the site's packages.
TOOLS="$ROOT/var/tools"
tools() {
    local base
    cmp -s requirements-tools.txt "$TOOLS/installed.txt" && return
    say "Installing requirements-tools.txt in var/tools"
    base="$(find_python)" || die "No Python 3.12 or newer was found."
    rm -rf "$TOOLS"
    "$base" -m venv "$TOOLS" || return
    "$TOOLS/bin/python" -m pip install --quiet --require-hashes -r requirements-tools.txt </dev/null || return
    cp requirements-tools.txt "$TOOLS/installed.txt"
}

# The container images from registries, each as it is written: name:tag, or name:tag@digest.
IMAGE_FILES="Dockerfile compose.yaml"
image_names() {
    sed -nE 's/^(FROM| +image:) ([^ ]+).*/\2/p' $IMAGE_FILES | grep -v '^skirmish$'
}

# The settings of this machine's own site: its folder, and its key, made the first time. From here on, only
# its user may read the files that are written.
site_settings() {
    export DATA_DIR="${DATA_DIR:-$ROOT/var}"
    export HTTPS="${HTTPS:-0}"
    umask 077
    mkdir -p "$DATA_DIR"
    close_data
    case "${DEBUG:-}" in 1 | true | yes | on) return ;; esac
    if [ -z "${SECRET_KEY:-}" ]; then
        if [ ! -s "$DATA_DIR/secret_key" ]; then
            "$PYTHON" -c 'import secrets; print(secrets.token_urlsafe(64))' >"$DATA_DIR/secret_key"
        fi
        SECRET_KEY="$(cat "$DATA_DIR/secret_key")"
        export SECRET_KEY
    fi
}

# Other users of this machine may not read a site's data, as older releases let them.
close_data() {
    # A shared folder, such as /tmp, stays as it is.
    if [ -O "$DATA_DIR" ] && [ ! -k "$DATA_DIR" ]; then
        chmod go-rwx "$DATA_DIR"
        find "$DATA_DIR" -maxdepth 1 -type f -user "$(id -u)" -perm /077 -exec chmod go-rwx {} +
    fi
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
    # First the one without windows, which needs three quarters of the time.
    for name in ${CHROMIUM:+"$CHROMIUM"} chromium-headless-shell chromium chromium-browser google-chrome; do
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

# A store for limits: Valkey, or Redis on a system without it.
redis_server() {
    command -v valkey-server >/dev/null 2>&1 || command -v redis-server >/dev/null 2>&1 ||
        try_install valkey-server || apt_install redis-server
}

browser() {
    find_chromium >/dev/null || apt_install chromium
    # CI, which may install anything, gets the faster one; if there is none, any will do.
    if [ -n "${CI:-}" ] && [ "$(basename "$(find_chromium)")" = chromium ] && [ -z "${CHROMIUM:-}" ]; then
        try_install chromium-headless-shell || true
    fi
    # Its driver comes with a program that needs this library, unlike Debian 12's Chromium.
    has_library libatomic.so.1 || apt_install libatomic1
    CHROMIUM="$(find_chromium)" || die "No Chromium found. Name one: CHROMIUM=/path/to/chromium"
    export CHROMIUM
}
