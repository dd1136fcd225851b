"""The pocket policy's tokenizer: one token a character, as an ordinary transformers tokenizer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers
from transformers import PreTrainedTokenizerFast

ALPHABET = "abcdefghijklmnopqrstuvwxyz0123456789 ?+-*/%=<>()[]:,.'!&|^#_\n"
"""Every character that the pocket policy can read and write."""

PAD, END, UNKNOWN = "<pad>", "<end>", "<unk>"


def build_tokenizer(
    alphabet: str = ALPHABET, words: Sequence[str] = (), *, context: int = 64
) -> PreTrainedTokenizerFast:
    """A tokenizer over `alphabet`, numbered in its order; other characters are `<unk>`.

    Each of `words` is one token too. Padding is on the left, and `<end>` ends a completion.

    >>> tokenizer = build_tokenizer()
    >>> tokenizer.decode(tokenizer("rev ab?")["input_ids"])
    'rev ab?'
    """
    vocabulary = {token: index for index, token in enumerate([PAD, END, UNKNOWN, *alphabet, *words])}
    core = Tokenizer(models.WordLevel(vocabulary, unk_token=UNKNOWN))
    core.pre_tokenizer = pre_tokenizers.Split(Regex("|".join([*map(re.escape, words), r"[\s\S]"])), behavior="isolated")
    core.decoder = decoders.Fuse()
    return PreTrainedTokenizerFast(
        tokenizer_object=core,
        pad_token=PAD,
        eos_token=END,
        unk_token=UNKNOWN,
        padding_side="left",
        truncation_side="left",
        clean_up_tokenization_spaces=False,
        model_max_length=context,
    )


def readable(text: str) -> bool:
    """Whether the pocket policy can read every character of `text`.

    >>> readable("rev ab?"), readable("Rev ab?")
    (True, False)
    """
    return set(text) <= _CHARACTERS


_CHARACTERS = frozenset(ALPHABET)
