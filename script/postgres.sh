# Shared by scripts that need a PostgreSQL while they run: a private server, which ends with them.
# Sourced after lib.sh, not run. start_postgres sets DATABASE_URL; pg_bin is the folder of its programs.

pg_bin="" pg_dir="" pg_user=()
pg_run() { (cd "$pg_dir" && ${pg_user[@]+"${pg_user[@]}"} "$@"); }

stop_postgres() {
    pg_run "$pg_bin/pg_ctl" -D "$pg_dir/data" -m immediate stop >/dev/null 2>&1 || true
    rm -rf "$pg_dir"
}

find_postgres() {
    pg_bin="$(ls -d /usr/lib/postgresql/*/bin 2>/dev/null | sort -V | tail -n 1)"
    if [ -z "$pg_bin" ] && command -v initdb >/dev/null 2>&1; then
        pg_bin="$(dirname "$(command -v initdb)")"
    fi
    [ -n "$pg_bin" ]
}

# Only CI installs it: Debian's package also starts a server, now and at each boot.
may_install_postgres() { [ -n "${CI:-}" ] && has_apt && may_install; }

# Whether there is a PostgreSQL to use: DATABASE_URL's, an installed one, or one that may be installed.
has_postgres() { [ -n "${DATABASE_URL:-}" ] || find_postgres || may_install_postgres; }

need_postgres() {
    find_postgres && return
    may_install_postgres || die "PostgreSQL is missing. Install its server; Debian's starts at each boot:" \
        "apt-get install --no-install-recommends postgresql"
    apt_install postgresql
    find_postgres
}

start_postgres() {
    local port
    need_postgres
    pg_dir="$(mktemp -d)"
    trap stop_postgres EXIT
    if [ "$(id -u)" = 0 ]; then
        # PostgreSQL refuses to run as root.
        chown postgres "$pg_dir"
        pg_user=(runuser -u postgres --)
    fi
    port="$("$PYTHON" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')"
    pg_run "$pg_bin/initdb" -D "$pg_dir/data" -U skirmish -A trust -E UTF8 --locale=C --no-sync >/dev/null
    pg_run "$pg_bin/pg_ctl" -D "$pg_dir/data" -l "$pg_dir/log" -w \
        -o "-p $port -c listen_addresses=127.0.0.1 -c unix_socket_directories=$pg_dir -c fsync=off -c max_connections=200" \
        start >/dev/null || { cat "$pg_dir/log" >&2; die "PostgreSQL did not start."; }
    export DATABASE_URL="postgres://skirmish@127.0.0.1:$port/postgres"
}
