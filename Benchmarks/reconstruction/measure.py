#!/usr/bin/env python3
"""Times commands in turns and prints each one's fastest run, its ratio to the first command, and its peak memory.

usage: measure.py RUNS NAME=COMMAND… (a command is split at spaces; the first is the yardstick)
"""
import os
import sys
import time

runs = int(sys.argv[1])
commands = [argument.split("=", 1) for argument in sys.argv[2:]]
best = {name: float("inf") for name, _ in commands}
peak = {name: 0 for name, _ in commands}
null = os.open(os.devnull, os.O_WRONLY)

for _ in range(runs):
    for name, command in commands:
        words = command.split()
        start = time.monotonic()
        process = os.posix_spawnp(words[0], words, os.environ, file_actions=[(os.POSIX_SPAWN_DUP2, null, 1)])
        _, status, usage = os.wait4(process, 0)
        elapsed = time.monotonic() - start
        if status != 0:
            sys.exit(f"{command}: ended with status {status}")
        best[name] = min(best[name], elapsed)
        peak[name] = max(peak[name], usage.ru_maxrss)

yardstick = best[commands[0][0]]
print(f"{'':<24} {'seconds':>9} {'ratio':>7} {'peak MiB':>9}")
for name, _ in commands:
    print(f"{name:<24} {best[name]:>9.3f} {best[name] / yardstick:>7.2f} {peak[name] / 1024:>9.1f}")
