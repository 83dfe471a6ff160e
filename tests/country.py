"""A site of many clubs, copied by SQL from a few that were made as by clicks. Only for PostgreSQL,
which copies rows without sending them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from django.apps import apps
from django.db import connection, models

# Rows of these models make up a club and its people. A copy of one refers to copies of the others.
LEDGER = ("gangs.Guest", "gangs.Gang", "gangs.Strike", "gangs.Timeline", "gangs.StoredEntry")
PEOPLE = ("accounts.User", "accounts.Notice")
TABLES = ("campaigns.Table", "campaigns.TableSide", "campaigns.TableEntry", "campaigns.TableThrow")
CHANNELS = ("outbound.Hook", "outbound.Delivery")
# For each model with numbers: the highest number before a pass, and that of the rows copied in it.
Numbers = Mapping[type[models.Model], tuple[int, int]]
# Unique texts that are longer than this are hashes; shorter ones are numbers.
LONG = 30


def named(labels: Sequence[str]) -> list[type[models.Model]]:
    """Return the models of these labels."""
    return [apps.get_model(label) for label in labels]


def club_models() -> list[type[models.Model]]:
    """Return all models of a club, its people and their gangs."""
    of_campaigns = apps.get_app_config("campaigns").get_models()
    found = [*named((*PEOPLE, *LEDGER)), *of_campaigns, *named(CHANNELS)]
    return list(dict.fromkeys(found))


@dataclass
class Copier:
    """Copies rows of the site as it was at the start. ``fewer``: at most this many copies of the
    rows of some models."""

    seeds: Mapping[type[models.Model], str] = field(default_factory=dict)
    passes: int = 0

    @classmethod
    def start(cls) -> Copier:
        """Remember the rows that exist now, from which all copies are made."""
        seeds = {model: f"seed_{model._meta.db_table}" for model in club_models()}
        for model, seed in seeds.items():
            table = model._meta.db_table
            _execute(f'CREATE TEMP TABLE "{seed}" AS SELECT * FROM "{table}"')
        return cls(seeds)

    def count(self, label: str) -> int:
        """Return the number of rows of a model at the start."""
        return _number(f'SELECT count(*) FROM "{self.seeds[apps.get_model(label)]}"')

    def only_small(self, most: int) -> Copier:
        """Return a copier of the gangs that have at most this many entries."""
        gang, entry = (apps.get_model(label) for label in (LEDGER[1], LEDGER[-1]))
        small = (
            f'SELECT gang_id FROM "{self.seeds[entry]}" GROUP BY gang_id HAVING count(*) <= {most}'
        )
        seeds = dict(self.seeds)
        for model in named(LEDGER[1:]):
            seeds[model] = f"small_{model._meta.db_table}"
            key = "id" if model is gang else "gang_id"
            _execute(
                f'CREATE TEMP TABLE "{seeds[model]}" AS'
                f' SELECT * FROM "{self.seeds[model]}" WHERE {key} IN ({small})'
            )
        return replace(self, seeds=seeds)

    def copy(
        self,
        copied: Sequence[type[models.Model]],
        times: int,
        fewer: Mapping[type[models.Model], int] | None = None,
        beside: Numbers | None = None,
    ) -> Numbers:
        """Copy all rows of these models this many times. Return the numbers from which the copies
        count; with ``beside``, those of an earlier call, the copies refer to its copies, too.
        """
        self.passes += 1
        numbers = {
            model: (_highest(_table(model), model), _highest(f'"{self.seeds[model]}"', model))
            for model in copied
            if _is_number(model)
        }
        known = {**(beside or {}), **numbers}
        for model in copied:
            limit = min(times, (fewer or {}).get(model, times))
            if limit > 0:
                self._copy(model, limit, {*copied, *known}, known)
        return numbers

    def _copy(
        self,
        model: type[models.Model],
        times: int,
        copied: set[type[models.Model]],
        numbers: Numbers,
    ) -> None:
        columns, values = [], []
        before = _number(f"SELECT count(*) FROM {_table(model)}")
        for one in model._meta.concrete_fields:
            columns.append(f'"{one.column}"')
            values.append(self._value(model, one, copied, numbers, before))
        source = f'"{self.seeds[model]}" t CROSS JOIN generate_series(1, {times}) k'
        _execute(
            f"INSERT INTO {_table(model)} ({', '.join(columns)})"
            f" SELECT {', '.join(values)} FROM {source}"
        )

    def _value(
        self,
        model: type[models.Model],
        one: models.Field,
        copied: set[type[models.Model]],
        numbers: Numbers,
        before: int,
    ) -> str:
        column = f't."{one.column}"'
        target = one.related_model if one.is_relation else model if one.primary_key else None
        if target is not None:
            if target not in copied:
                return column
            if target in numbers:
                before_all, span = numbers[target]
                return f"{column} + {before_all} + (k::bigint - 1) * {span}"
            return self._hashed(column, target._meta.pk)
        if isinstance(one, models.UUIDField):
            # Tokens differ; the batch of a post-game is that of its entries.
            is_copied = one.unique or apps.get_model(LEDGER[1]) in copied
            return self._hashed(column, one) if is_copied else column
        if one.unique and isinstance(one, models.CharField):
            length = one.max_length or 0
            if length >= LONG:
                return self._hashed(column, one)
            number = f"to_hex({before} + row_number() OVER ())"
            return f"CASE WHEN {column} = '' THEN '' ELSE upper(lpad({number}, {length}, '0')) END"
        return column

    def _hashed(self, column: str, one: models.Field) -> str:
        hashed = f"md5({column}::text || '-{self.passes}-' || k)"
        if isinstance(one, models.UUIDField):
            return f"{hashed}::uuid"
        return f"CASE WHEN {column} = '' THEN '' ELSE substr({hashed}, 1, {one.max_length}) END"

    def finish(self) -> None:
        """Set the sequences, and let the database collect its statistics."""
        for model in self.seeds:
            if _is_number(model):
                table, column = model._meta.db_table, model._meta.pk.column
                highest = f'(SELECT max("{column}") FROM "{table}")'
                _execute(f"SELECT setval(pg_get_serial_sequence('{table}', '{column}'), {highest})")
            _execute(f"ANALYZE {_table(model)}")


def _is_number(model: type[models.Model]) -> bool:
    return isinstance(model._meta.pk, models.AutoField | models.BigAutoField)


def _table(model: type[models.Model]) -> str:
    return f'"{model._meta.db_table}"'


def _execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def _number(sql: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return int(cursor.fetchone()[0])


def _highest(table: str, model: type[models.Model]) -> int:
    return _number(f'SELECT coalesce(max("{model._meta.pk.column}"), 0) FROM {table}')
