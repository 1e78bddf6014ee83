#!/usr/bin/env python3
"""Right values for tests/oracles/quad/table_test.cpp, by mpmath; independent of ATen and libquadmath.

    .venv/bin/python tools/quad_reference.py > tests/oracles/quad_reference.json

One row: {"op", "args" as in a case (docs/formats.md), "values": one flat list an output}, to 40 digits.
Arguments are exact doubles; everything here is computed in 1500 bits from them.
"""

import json

import quad_pointwise
import quad_tensors
from quad_rows import ROWS

for family in quad_pointwise.FAMILIES + quad_tensors.FAMILIES:
    family()
print("[\n" + ",\n".join(json.dumps(r) for r in ROWS) + "\n]")
