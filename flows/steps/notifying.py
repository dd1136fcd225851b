"""Telling somebody outside of critical alarms: one POST a look, never a reason for a campaign to fail."""

from __future__ import annotations

import json
import sys
import urllib.error
import urllib.request
from collections.abc import Iterable

from pydantic import SecretStr

from warehouse.records import Alarm, AlarmLevel, Record

TIMEOUT_S = 5.0


def notify(webhook: SecretStr | None, records: Iterable[Record]) -> bool:
    """POST the critical alarms among `records` as JSON to `webhook`; returns whether it was told.

    No webhook or no critical alarm: nothing is sent. A webhook that does not answer is said on stderr, without its URL.
    """
    critical = [row for row in records if isinstance(row, Alarm) and row.level is AlarmLevel.CRITICAL]
    if webhook is None or not critical:
        return False
    told = [{"owner": a.owner, "step": a.step, "detector": a.detector, "inputs": dict(a.inputs)} for a in critical]
    try:
        request = urllib.request.Request(
            webhook.get_secret_value(),
            data=json.dumps({"alarms": told}).encode(),
            headers={"Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=TIMEOUT_S):
            return True
    except (urllib.error.URLError, ValueError, OSError) as error:
        print(f"the webhook was not told of {len(told)} critical alarms: {type(error).__name__}", file=sys.stderr)
        return False
