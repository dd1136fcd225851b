"""Makes `worlds`, the pools and policies of scheduler tests, importable by the tests below."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parent))
