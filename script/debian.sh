# Shared by script/fresh and script/image: a new Debian in a folder, which gets its packages in the same way
# as this machine. Sourced after lib.sh, not run.

# The settings of pip: its files, and the environment's variables.
pip_files() {
    local file
    for file in /etc/pip.conf /etc/xdg/pip/pip.conf "$HOME/.pip/pip.conf" "$HOME/.config/pip/pip.conf"; do
        if [ -f "$file" ]; then printf '%s\n' "$file"; fi
    done
}

settings() {
    env | grep -E '^(PIP_|SSL_CERT_|REQUESTS_CA_BUNDLE=|[a-z]+_proxy=|[A-Z]+_PROXY=)' || true
}

# Files and folders of this machine that those settings name; a packages' folder with its neighbours, since
# its pages link there.
named_paths() {
    { settings; pip_files | xargs -r cat; } | { grep -oE '(file://|[= ])/[^ ,]+' || true; } | sort -u |
        while read -r path; do
            case "$path" in
                file://*) path="$(dirname "${path#file://}")" ;;
                *) path="/${path#*/}" ;;
            esac
            if [ -e "$path" ] && [ "$path" != / ]; then printf '%s\n' "$path"; fi
        done | sort -u
}

debian_mirror() {
    local mirror
    mirror="${MIRROR:-$(apt-get indextargets --format '$(REPO_URI)' 'Origin: Debian' 'Label: Debian' | head -n 1)}"
    [ -n "$mirror" ] || die "No Debian mirror among apt's sources. Name one: MIRROR=…"
    printf '%s\n' "$mirror"
}

# make_debian NAME FOLDER: the smallest system, with certificates and nothing else. Packages come from the
# same place as on this machine. Nothing more of this machine is passed on except the folders among
# named_paths, which the caller lends in its own way.
make_debian() {
    local name="$1" machine="$2" file mirror
    mirror="$(debian_mirror)"
    mkdir -p "$machine"
    debootstrap --variant=minbase --include=ca-certificates "$name" "$machine" "$mirror" >"$machine.log" 2>&1 || {
        tail -n 20 "$machine.log" >&2
        die "debootstrap failed."
    }
    cp -L /etc/resolv.conf /etc/hosts "$machine/etc/"
    apt-config dump Acquire | grep -vE '^Acquire::(IndexTargets|Changelogs)' >"$machine/etc/apt/apt.conf.d/50here"
    find /usr/local/share/ca-certificates -name '*.crt' -exec cp {} "$machine/usr/local/share/ca-certificates/" \; 2>/dev/null
    chroot "$machine" update-ca-certificates >/dev/null 2>&1
    { pip_files; named_paths; } | while read -r file; do
        if [ -f "$file" ] && [ ! -e "$machine$file" ]; then install -D "$file" "$machine$file"; fi
    done
}
