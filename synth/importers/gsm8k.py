"""GSM8K: word problems with worked answers; the gold stands after `####`."""

from __future__ import annotations

from synth.family import Item
from synth.importers.corpus import Unfit, importer, text_of
from synth.importers.hub import HubCorpus
from synth.importers.reading import Row


@importer(
    "gsm8k",
    version=1,
    licence="MIT",
    fields=("question", "answer"),
    hub=HubCorpus("openai/gsm8k", "main", "train"),
)
def gsm8k(row: Row) -> Item:
    """The question as prompt; the worked answer as reference; raises `Unfit` when no gold follows `####`."""
    worked = text_of(row, "answer")
    head, mark, tail = worked.rpartition("####")
    gold = tail.strip().replace(",", "")
    if not mark or not gold:
        raise Unfit("no gold after ####")
    return Item(
        prompt=text_of(row, "question").strip(),
        answer_kind="integer" if gold.lstrip("-").isdigit() else "rational",
        reference=f"{head}#### {gold}",
        gold=gold,
        params={"answer_format": "gsm8k"},
    )
