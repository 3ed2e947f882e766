"""Numbers from outside: golden.json, made from explicit arrays."""

import json
from pathlib import Path

GOLDEN = json.loads(Path(__file__).with_suffix(".json").read_text("utf-8"))
