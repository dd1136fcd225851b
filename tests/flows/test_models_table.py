"""The models of a campaign: read from its file, no part of its identity but for what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.campaign import CampaignConfig, campaign_ids, read_config
from warehouse.errors import UserError

TABLE = """
[models.writer]
model = "w"
lineage = "paper"
endpoints = ["{url}"]
{more}
[models.checker]
model = "c"
lineage = "{checker}"
endpoints = ["http://c/v1"]
"""


def read(tmp_path: Path, url: str = "http://a/v1", more: str = "", checker: str = "stone") -> CampaignConfig:
    file = tmp_path / "campaign.toml"
    file.write_text(TABLE.format(url=url, more=more, checker=checker))
    return read_config(file)


def test_where_models_run_is_no_part_of_a_campaign_and_what_they_are_is(tmp_path: Path):
    one = campaign_ids(read(tmp_path), {})
    assert campaign_ids(read(tmp_path, "http://b/v1", "concurrency = 2\n[models.budget]\nmoney = 3"), {}) == one
    assert campaign_ids(read(tmp_path, more='revision = "2"'), {}) != one


def test_a_misspelt_key_of_a_model_is_named_with_the_nearest(tmp_path: Path):
    with pytest.raises(UserError, match=r"models\.writer\.endpoint'; nearest: models\.writer\.endpoints"):
        read(tmp_path, more="endpoint = 1")
    with pytest.raises(UserError, match="share the lineage 'paper'"):
        read(tmp_path, checker="paper")
