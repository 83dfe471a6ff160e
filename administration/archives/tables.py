"""The tables that a site's migrations make: a backup has these and no others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence

from django.db import connections
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from administration.archives.manifest import BadArchive


def migrations_of(using: str) -> dict[str, tuple[str, ...]]:
    """Return the migrations applied to a database, by app.

    Apps that this site no longer uses, such as a backend for tasks, are left out.
    """
    used = MigrationLoader(None).migrated_apps
    found = defaultdict[str, list[str]](list)
    for app, name in MigrationRecorder(connections[using]).applied_migrations():
        if app in used:
            found[app].append(name)
    return {app: tuple(sorted(names)) for app, names in sorted(found.items())}


def tables_after(migrations: Mapping[str, Sequence[str]]) -> frozenset[str]:
    """Return the names of the tables that exist after these migrations.

    Raises BadArchive if this release does not know a migration.
    """
    loader = MigrationLoader(None)
    applied = [(app, name) for app, names in migrations.items() for name in names]
    known = loader.disk_migrations or {}
    if unknown := [f"{app}.{name}" for app, name in applied if (app, name) not in known]:
        raise BadArchive(
            "The database was used by a release with migrations that this one lacks"
            f" ({', '.join(unknown[:5])}): update first."
        )
    state = loader.project_state([node for node in applied if node in loader.graph.nodes])
    models = state.apps.get_models(include_auto_created=True)
    return frozenset(
        {model._meta.db_table for model in models} | {MigrationRecorder.Migration._meta.db_table}
    )
