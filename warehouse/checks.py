"""The checks before a commit: types, words, ranges, keys, rules and references, all in SQL over Arrow."""

from __future__ import annotations

from collections.abc import Mapping

import duckdb
import pyarrow as pa
import pyarrow.compute as pc

from warehouse.contracts import ColumnContract, TableContract, contract_of
from warehouse.engine import quoted_name, quoted_text
from warehouse.rows import ContractError

REMEMBERED = 200_000
"""References to one column that are kept as known to exist."""
FEW = 20_000
"""Rows up to which Arrow is asked instead of DuckDB, whose every query costs milliseconds."""
ASKED_ONE_BY_ONE = 20_000
"""With more distinct references than this, they are joined in DuckDB and not remembered."""


def cast(name: str, table: pa.Table) -> pa.Table:
    """`table` with exactly the contract's columns and types; raises `ContractError` for others."""
    schema = contract_of(name).arrow_schema
    missing = [f for f in schema.names if f not in table.column_names]
    extra = [f for f in table.column_names if f not in schema.names]
    for field in [f for f in missing if not contract_of(name).columns[schema.get_field_index(f)].nullable]:
        raise ContractError(f"{name}.{field} is missing; see: gradatim tables")
    if extra:
        raise ContractError(f"{name} has no column {extra[0]!r}; it has: {', '.join(schema.names)}")
    for field in missing:
        table = table.append_column(field, pa.nulls(table.num_rows, schema.field(field).type))
    try:
        return table.select(schema.names).cast(schema)
    except (pa.ArrowException, ValueError) as error:
        raise ContractError(f"{name} does not have the types of its contract: {error}; see: gradatim tables") from error


def check_rows(connection: duckdb.DuckDBPyConnection, table: TableContract, view: str, rows: pa.Table) -> None:
    """Refuse `rows`, which `view` shows, where one breaks a rule of `table` alone; raises `ContractError`."""
    rules = [*(rule for c in table.columns for rule in _column_rules(c)), *table.rules]
    if table.name == "attempts":
        rules.append(
            (
                "n_in = n_out + rejected: two admitted attempts name one task",
                "outcome <> 'admitted' OR n_admitted = 1",
            )
        )
        view = (
            "(SELECT *, count(*) FILTER (outcome = 'admitted') OVER (PARTITION BY campaign_id, task_id) AS n_admitted"
            f" FROM {view})"
        )
    counts = ", ".join(f"count(*) FILTER (WHERE ({rule}) IS NOT TRUE)" for _, rule in rules)
    keys = ", ".join(quoted_name(k) for k in table.keys)
    n_rows, *broken = connection.execute(f"SELECT count(*), {counts} FROM {view}").fetchall()[0]
    for (sentence, rule), n in zip(rules, broken, strict=True):
        if n:
            example = connection.execute(f"SELECT {keys} FROM {view} WHERE ({rule}) IS NOT TRUE LIMIT 1").fetchone()
            raise ContractError(f"{table.name}: {sentence}; broken by {n} of {n_rows} rows, first {example}")
    if rows.num_rows <= FEW and _all_differ(rows.select(table.keys)):
        return
    doubled = connection.execute(
        f"SELECT {keys}, count(*) FROM {view} GROUP BY {keys} HAVING count(*) > 1 LIMIT 1"
    ).fetchone()
    if doubled:
        raise ContractError(
            f"{table.name}: at most one row a key ({', '.join(table.keys)}) in a commit; "
            f"{doubled[:-1]} has {doubled[-1]}"
        )


def _all_differ(keys: pa.Table) -> bool:
    """Whether no two rows are alike; a query of its own costs ten times as much for a few rows."""
    return bool(keys.group_by(keys.column_names).aggregate([]).num_rows == keys.num_rows)


class References:
    """What the store is known to hold, so that a small commit does not scan ten million keys each time."""

    def __init__(self) -> None:
        self._known: dict[str, set[str]] = {}

    def check(
        self,
        connection: duckdb.DuckDBPyConnection,
        table: TableContract,
        incoming: Mapping[str, str],
        rows: Mapping[str, pa.Table],
    ) -> None:
        """Refuse references that neither the commit nor the store holds.

        `rows` are the commit's, `incoming` the views that show them, both by table.
        """
        for c in table.columns:
            if c.column.references:
                self._check(connection, table.name, c, incoming, rows)

    def _check(
        self,
        connection: duckdb.DuckDBPyConnection,
        table: str,
        column: ColumnContract,
        incoming: Mapping[str, str],
        rows: Mapping[str, pa.Table],
    ) -> None:
        target = str(column.column.references)
        to_table, to_key = target.split(".")
        if rows[table].num_rows <= FEW:
            wanted = rows[table].column(column.name).unique().drop_null()
            if to_table in rows:
                wanted = wanted.filter(pc.invert(pc.is_in(wanted, rows[to_table].column(to_key).combine_chunks())))
            self._ask(connection, table, column, wanted.to_pylist())
            return
        name = quoted_name(column.name)
        refs = f"SELECT DISTINCT {name} AS ref FROM {incoming[table]} WHERE {name} IS NOT NULL"
        if to_table in incoming:
            refs = f"SELECT ref FROM ({refs}) ANTI JOIN {incoming[to_table]} i ON i.{quoted_name(to_key)} = ref"
        wanted = [r[0] for r in connection.execute(f"{refs} LIMIT {ASKED_ONE_BY_ONE + 1}").fetchall()]
        if len(wanted) > ASKED_ONE_BY_ONE:
            self._refuse(table, column, self._absent(connection, refs, to_table, to_key, {}))
            return
        self._ask(connection, table, column, wanted)

    def _ask(
        self, connection: duckdb.DuckDBPyConnection, table: str, column: ColumnContract, wanted: list[str]
    ) -> None:
        """Refuse what is not known yet and not in the store either."""
        target = str(column.column.references)
        to_table, to_key = target.split(".")
        known = self._known.setdefault(target, set())
        unseen = [w for w in wanted if w not in known]
        if not unseen:
            return
        asked = "SELECT unnest($refs::VARCHAR[]) AS ref"
        self._refuse(table, column, self._absent(connection, asked, to_table, to_key, {"refs": unseen}))
        if len(known) + len(unseen) > REMEMBERED:
            known.clear()
        known.update(unseen)

    @staticmethod
    def _absent(
        connection: duckdb.DuckDBPyConnection, refs: str, table: str, key: str, params: dict[str, list[str]]
    ) -> list[tuple[str]]:
        key = quoted_name(key)
        sql = f"SELECT ref FROM ({refs}) ANTI JOIN (SELECT {key} AS k FROM {table}) ON k = ref LIMIT 3"
        absent: list[tuple[str]] = connection.execute(sql, params).fetchall()
        return absent

    @staticmethod
    def _refuse(table: str, column: ColumnContract, absent: list[tuple[str]]) -> None:
        if absent:
            names = ", ".join(r[0] for r in absent)
            raise ContractError(
                f"{table}.{column.name} refers to {column.column.references}, "
                f"but neither the commit nor the store holds: {names}"
            )

    def forget(self) -> None:
        """Drop what is known, after rows were purged."""
        self._known.clear()


def _column_rules(c: ColumnContract) -> list[tuple[str, str]]:
    name, rules = quoted_name(c.name), []
    if not c.nullable:
        rules.append((f"{c.name} is never none", f"{name} IS NOT NULL"))
    unless = f"{name} IS NULL OR "
    if c.words:
        words = ", ".join(f"'{quoted_text(w)}'" for w in c.words)
        rules.append((f"{c.name} is one of {', '.join(c.words)}", f"{unless}{name} IN ({words})"))
    finite = f"NOT isnan({name}) AND " if c.sql_type == "DOUBLE" else ""
    if c.column.low is not None or c.column.high is not None:
        low = "-infinity" if c.column.low is None else f"{c.column.low:g}"
        high = "infinity" if c.column.high is None else f"{c.column.high:g}"
        inside = " AND ".join(
            part
            for part in (
                f"{name} >= {low}" if c.column.low is not None else "",
                f"{name} <= {high}" if c.column.high is not None else "",
            )
            if part
        )
        rules.append((f"{c.name} lies in [{low}, {high}]", f"{unless}({finite}{inside})"))
    if c.column.json and not c.encoded:
        rules.append((f"{c.name} is JSON", f"{unless}json_valid({name})"))
    return rules
