"""Compares ratios with those of Benchmarks/README.md.

Usage: regressions.py README OUTPUT...

OUTPUT is the text that benchmarks have printed; of several, the best value of each ratio counts,
because other work on the machine can only add to it. Prints ratios that are more than 15 % worse
on standard error, and the names of their benchmarks on standard output. The status is 1 if there
are any, and 2 if nothing was compared.
"""

import pathlib
import sys

from figures import figures, recorded

ALLOWED = 1.15

before = recorded(pathlib.Path(sys.argv[1]).read_text())
best = {}
for output in sys.argv[2:]:
    for figure in figures(pathlib.Path(output).read_text()):
        key, value = (figure.benchmark, figure.name), float(figure.value)
        choose = max if figure.goal.startswith("at least") else min
        best[key] = (choose(value, best.get(key, (value,))[0]), choose)

compared, slower = 0, {}
for key, (value, choose) in best.items():
    old = before.get(key)
    if not old or not value:
        continue
    compared += 1
    change = old / value if choose is max else value / old
    if change > ALLOWED:
        slower[key[0]] = True
        print(f"  WORSE {key[0]}, {key[1]}: {value:g}, {change:.2f} times as bad as {old:g}", file=sys.stderr)
print(f"  {compared} ratios compared with the page, {ALLOWED} times as bad allowed", file=sys.stderr)
print(*slower)
sys.exit(1 if slower else 0 if compared else 2)
