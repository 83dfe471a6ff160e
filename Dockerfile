# The site as a container image; compose.yaml runs it beside a database and a web server with HTTPS.
#   docker build --tag skirmish .
# Everything comes from Debian's and Python's package registries; the site runs as a user of its own and
# writes to /data only.

FROM debian:trixie-slim AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates gettext python3 python3-venv \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /skirmish
COPY requirements-extras.txt ./
RUN python3 -m venv /venv \
    && /venv/bin/pip install --no-cache-dir --require-hashes --requirement requirements-extras.txt
COPY . .
# The image names its commit, and has nothing else of the repository. The translations and the static files are made
# once, here, and not at each start.
RUN commit="$(python3 -c 'from pathlib import Path; from skirmish.release import read_commit; print(read_commit(Path()))')" \
    && echo "$commit" >skirmish/commit.txt && rm -rf .git \
    && for po in locale/*/LC_MESSAGES/*.po; do msgfmt --output-file "${po%.po}.mo" "$po" || exit 1; done \
    && SECRET_KEY=only-while-it-is-built DATA_DIR=/tmp /venv/bin/python manage.py collectstatic --noinput --verbosity 0 \
    && /venv/bin/python -m compileall -q accounts administration api campaigns common gangs guide outbound printing rules skirmish typesetting

FROM debian:trixie-slim
# Pango sets the prints; pg_dump and pg_restore make backups of a PostgreSQL database.
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates fonts-noto-cjk fonts-noto-core libharfbuzz-subset0 \
        libpango-1.0-0 libpangoft2-1.0-0 postgresql-client python3 tini \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --uid 10001 --create-home --home-dir /home/skirmish skirmish \
    && install --directory --owner=skirmish --group=skirmish --mode=0700 /data
COPY --from=build /venv /venv
COPY --from=build /skirmish /skirmish
WORKDIR /skirmish
ENV PATH=/venv/bin:$PATH DATA_DIR=/data HOST=0.0.0.0 PORT=8000 PYTHONUNBUFFERED=1 XDG_CACHE_HOME=/tmp
USER 10001
VOLUME /data
EXPOSE 8000
HEALTHCHECK --start-period=60s --interval=10s --timeout=5s \
    CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/health/', timeout=4)"]
ENTRYPOINT ["tini", "--", "deploy/entrypoint"]
CMD ["serve"]
