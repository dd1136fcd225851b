"""Who made an exported task: what its first admitted attempt says of the generator."""

from __future__ import annotations

import json
from typing import NamedTuple

from warehouse.store import Store

_FIRST = """
SELECT task_id, generator, generator_kind AS kind, generator_version AS version, generator_lineage AS lineage
FROM attempts
WHERE outcome = 'admitted'
QUALIFY row_number() OVER (PARTITION BY task_id ORDER BY rowid) = 1
"""


class Origin(NamedTuple):
    """A generator: its name, kind, version and lineage, as `attempts` has them."""

    generator: str
    kind: str
    version: str
    lineage: str

    def text(self) -> str:
        """The origin as an export keeps it, one text column.

        >>> Origin("rev", "procedural", "1", "gradatim-programs").text()
        '{"generator": "rev", "kind": "procedural", "lineage": "gradatim-programs", "version": "1"}'
        """
        return json.dumps(self._asdict(), sort_keys=True, ensure_ascii=False)


def origin_of(text: str | None) -> Origin | None:
    """The origin that an export kept; none where it kept none. Raises `ValueError` for anything else."""
    if text is None:
        return None
    told = json.loads(text)
    if not isinstance(told, dict) or set(told) != set(Origin._fields):
        raise ValueError("its origin has not the fields " + ", ".join(Origin._fields))
    return Origin(**{name: str(value) for name, value in told.items()})


def origins(store: Store) -> dict[str, Origin]:
    """The origin of every task that an attempt made, by its id."""
    return {row.pop("task_id"): Origin(**row) for row in store.rows(_FIRST)}
