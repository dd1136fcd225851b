"""Makes the rows of the made-up campaign importable."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
