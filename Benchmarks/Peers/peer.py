"""Shared by all peers in Python: reads orders and answers with times.

An order is a line "WORK REPETITIONS THREADS FILE". The answer is a line with wall-clock and CPU
milliseconds per repetition, the size of the result in bytes, and the peak memory in kilobytes, at
the end and before the first repetition; or "skip" with a reason. Reading the file and preparing the
work is not timed.
"""

import sys
import threading
import time


def peak():
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmHWM:"))


def serve(find):
    """Executes orders until standard input ends.

    `find` maps the name of a work to a function that makes a function of the bytes of the file.
    Either may be None, if the peer cannot do the work or read the file.
    """
    for order in sys.stdin:
        name, repetitions, threads, path = order.rstrip("\n").split(" ", 3)
        repetitions, threads = int(repetitions), int(threads)
        prepare = find(name)
        run = None
        if prepare is not None:
            with open(path, "rb") as file:
                run = prepare(file.read())
        if run is None:
            print("skip: not done by this peer", flush=True)
            continue
        sizes = []

        def repeat():
            for _ in range(repetitions):
                sizes.append(run())

        others = [threading.Thread(target=repeat) for _ in range(threads - 1)]
        before = peak()
        wall, cpu = time.perf_counter(), time.process_time()
        for thread in others:
            thread.start()
        repeat()
        for thread in others:
            thread.join()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        if len(sizes) != repetitions * threads or not all(sizes):
            raise SystemExit(f"{name} made nothing")
        share = 1000 / (repetitions * threads)
        print(f"{wall * share:.5f} {cpu * share:.5f} {sizes[0]} {peak()} {before}", flush=True)


def sizes_of(name):
    """The sizes at the end of a name such as resize-1200x900-400x300."""
    return [tuple(map(int, part.split("x"))) for part in name.split("-")[1:] if "x" in part]
