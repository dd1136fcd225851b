"""What can be asked explains itself, and ids may be short."""

import pytest

from flows.steps.catalogue import catalogue, columns_of
from warehouse import people_sql
from warehouse.errors import UserError
from warehouse.migrations import view_statements
from warehouse.named import named_queries


def test_everything_in_the_catalogue_can_be_looked_into(campaign):
    from warehouse.home import Home

    home = Home.at(campaign.home)
    rows = catalogue()
    assert {"current_tasks", "funnel", "lost_tasks", "rollouts"} <= {row["name"] for row in rows}
    for row in rows:
        columns = columns_of(str(row["name"]), home)
        assert columns or not named_queries()[str(row["name"])].params
    assert {"column", "type"} <= set(columns_of("current_tasks", home)[0])
    assert columns_of("lost_tasks", home)[0] == {
        "parameter": "before", "default": "must be given", "meaning": "policy_id of the earlier checkpoint",
    }  # fmt: skip
    with pytest.raises(UserError, match="nearest: current_tasks"):
        columns_of("curent_tasks", home)
    assert len(view_statements()) >= 13


def test_a_short_id_stands_for_the_whole_one_and_an_unknown_one_is_refused(campaign):
    policies = people_sql.run(campaign.home, "SELECT policy_id FROM current_policies ORDER BY nth").to_pylist()
    first = policies[-1]["policy_id"]
    whole = people_sql.run_named(campaign.home, "checkpoint_lineage", {"policy": first})
    assert people_sql.run_named(campaign.home, "checkpoint_lineage", {"policy": first[:8]}) == whole
    assert whole.num_rows
    with pytest.raises(UserError, match="policy '0000000000' matches 0 policies"):
        people_sql.run_named(campaign.home, "checkpoint_lineage", {"policy": "0000000000"})
