#!/usr/bin/env python3
"""Runs every OUT/findings/*/repro.py in a process of its own and counts how they end.

    .venv/bin/python tools/run_repros.py OUT [--list]

1 shows the failure, a signal kills, 77 says that it cannot show it, 0 shows nothing, "raised" is an error of the program.
Torch is imported once; each program runs in a fork of that process.
"""

import collections
import os
import pathlib
import runpy
import signal
import sys
import warnings

import torch  # noqa: F401  every program imports it


def run(program):
    """Exit code of the program, or what ended it, in words."""
    pid = os.fork()
    if pid == 0:
        signal.alarm(60)
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        warnings.simplefilter("ignore")
        code = 0
        try:
            runpy.run_path(str(program), run_name="__main__")
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else (0 if end.code is None else 1)
        except BaseException:
            code = 99
        os._exit(code)
    status = os.waitpid(pid, 0)[1]
    if os.WIFSIGNALED(status):
        return signal.Signals(os.WTERMSIG(status)).name
    return "raised" if os.WEXITSTATUS(status) == 99 else str(os.WEXITSTATUS(status))


def main(out, *flags):
    torch.set_num_threads(1)
    ends = collections.defaultdict(list)
    for program in sorted(pathlib.Path(out, "findings").glob("*/repro.py")):
        ends[run(program)].append(program.parent.name)
    for end, names in sorted(ends.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):6} {end}" + (" " + " ".join(names) if "--list" in flags else ""))


if __name__ == "__main__":
    main(*sys.argv[1:])
