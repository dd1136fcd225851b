from __future__ import annotations

import dataclasses
import typing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from warehouse.records import RECORDS, Column, canonical_json, content_hash


@pytest.mark.parametrize("record", RECORDS, ids=lambda r: r.TABLE)
def test_every_field_has_a_meaning_and_every_table_a_key(record):
    hints = typing.get_type_hints(record, include_extras=True)
    columns = {
        f.name: [m for m in getattr(hints[f.name], "__metadata__", ()) if isinstance(m, Column)]
        for f in dataclasses.fields(record)
    }
    assert all(len(found) == 1 and found[0].meaning for found in columns.values())
    assert any(found[0].key for found in columns.values())


def test_references_name_existing_columns():
    known = {f"{r.TABLE}.{f.name}" for r in RECORDS for f in dataclasses.fields(r)}
    for record in RECORDS:
        for hint in typing.get_type_hints(record, include_extras=True).values():
            for meta in getattr(hint, "__metadata__", ()):
                assert not isinstance(meta, Column) or meta.references is None or meta.references in known


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(json_values)
def test_equal_content_has_equal_identity(value):
    assert content_hash(value) == content_hash(value)
    assert canonical_json({"b": value, "a": 1}) == canonical_json({"a": 1, "b": value})
