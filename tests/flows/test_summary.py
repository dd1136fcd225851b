"""What a campaign's end prints, and what its progress calls a stage."""

from flows.campaign import CampaignConfig, with_scheduler
from flows.cli.output import print_summary
from flows.steps.training import label

FIGURE = {"value": 0.4, "low": 0.3, "high": 0.5, "n": 400}


def test_every_verdict_printed_is_the_paired_one(capsys):
    gain = {"difference": 0.183, "low": 0.122, "high": 0.244, "verdict": "better"}
    level = {"difference": -0.0001, "low": -0.02, "high": 0.02, "verdict": "cannot tell"}
    result = {"before": {"pass@1": FIGURE}, "after": {"pass@1": FIGURE}, "report": "r.html", "change": {"pass@1": gain}}
    result["baseline"] = {"scheduler": "uniform", "after": {"pass@1": FIGURE}, "against": {"pass@1": level}}
    print_summary(result)
    words = capsys.readouterr().out
    for text in ("+0.183 [0.122, 0.244]", "better", "after against uniform's", "+0.000 [-0.020, 0.020]", "cannot tell"):
        assert text in words


def test_a_result_stored_before_changes_were_is_printed(capsys):
    print_summary({"before": {"pass@1": FIGURE}, "after": {"pass@1": FIGURE}, "report": "r.html"})
    assert "task by task" not in capsys.readouterr().out


def test_progress_of_a_baseline_names_its_scheduler():
    config = CampaignConfig()
    assert label(config, 1) == "stage 1"
    assert label(with_scheduler(config, "uniform"), 1) == "uniform stage 1"
