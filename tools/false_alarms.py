#!/usr/bin/env python3
"""The rate of unexplained alarms over sweeps of ordinary values, with its 95 % bound.

    for s in …; do plumb sweep --cases 2 --seed $s --relations none --no-minimize --out out-$s; done
    tools/false_alarms.py out-*/results.json

A case counts where it was judged. An alarm is explained where tools/triage.py, which sorts alarms into the classes of
docs/findings.md, has a class for it that is neither "unexplained" nor "ours".
"""

import collections
import json
import re
import sys

import triage

ALARMS = {"nonfinite", "masked", "flushed", "unstable", "crashed", "hung", "error",
          "relation-broken", "nondeterministic"}


def main():
    judged = 0
    explained = collections.Counter()
    unexplained = collections.Counter()
    for path in sys.argv[1:]:
        seen = set()
        for row in json.load(open(path))["results"]:
            count = re.search(r"(\d+) cases", row["message"])
            key = (row["op"], row["dtype"], row["arm"])
            if count and key not in seen:
                judged += int(count.group(1))
                seen.add(key)
            if row["verdict"] in ALARMS and not row["ok"]:
                name = row["op"].split("::")[-1].split(".")[0]
                text = f"{name} {row['verdict']} {triage.kind(row)} {row['dtype']}"
                rule = next((c for c, pattern in triage.RULES if re.search(pattern, text)), "U")
                (unexplained if rule[0] in "UX" else explained)[f"{name} {row['dtype']}"] += 1
    alarms = sum(unexplained.values())
    # Exact for none (the rule of three); else Poisson by Wilson and Hilferty's approximation.
    bound = 3 if alarms == 0 else (alarms + 1) * (1 - 1 / (9 * (alarms + 1))
                                                  + 1.645 / (3 * (alarms + 1) ** 0.5)) ** 3
    print(f"{judged} cases judged in {len(sys.argv) - 1} sweeps")
    print(f"{sum(explained.values())} alarms of {len(explained)} operators and types are explained")
    print(f"{alarms} are not: at most {bound / judged:.2g} a case (95 %)")
    for name, count in unexplained.most_common():
        print(f"  {count:4}  {name}")


if __name__ == "__main__":
    main()
