from __future__ import annotations

from warehouse.contracts import STAMPS, contracts, documents
from warehouse.store import Store


def _stored(store: Store, table: str) -> list[tuple[object, object, object]]:
    told = store.rows(f'SELECT column_name, column_type, "null" FROM (DESCRIBE {table})')
    return [(r["column_name"], r["column_type"], r["null"] == "YES") for r in told]


def test_the_schema_and_the_contracts_agree(empty: Store) -> None:
    stamps = [(name, sql_type, False) for name, (sql_type, _, _) in STAMPS.items()]
    for table in contracts().values():
        wanted = [(c.name, c.sql_type, c.nullable or bool(c.column.private)) for c in table.public]
        assert sorted(_stored(empty, table.name)) == sorted(wanted + stamps), table.name
    secrets = [("task_id", "VARCHAR", False), *((c.name, c.sql_type, True) for c in contracts()["tasks"].private)]
    assert sorted(_stored(empty, "private.task_secrets")) == sorted(secrets + stamps)


def test_every_reference_names_a_key(store: Store) -> None:
    known = contracts()
    for table in known.values():
        assert table.keys
        for c in table.columns:
            if c.column.references:
                target, column = c.column.references.split(".")
                assert column in known[target].keys


def test_every_column_is_documented() -> None:
    rows = documents()
    assert {r["table"] for r in rows} == set(contracts())
    assert all(r["meaning"] and r["type"] and r["where"] for r in rows)
    hidden = next(r for r in rows if r["column"] == "hidden_tests")
    assert hidden["where"] == "private"
    assert (
        next(r for r in rows if (r["table"], r["column"]) == ("tasks", "gold"))["where"] == "private for held-out tasks"
    )
