#!/usr/bin/env python3
"""Plants faults in the library, one at a time, and lists those that no test notices.

usage: mutants.py [--count N] [--seed S] [--continue | --again] [--everywhere]
                  [--jobs N] FOLDER

  --count N      the number of mutants, 360 by default; those that do not compile are left out of it
  --seed S       chooses other mutants; 1 by default
  --continue     go on with a run that was interrupted
  --again        build the tests again and run the survivors and those that timed out, after tests were
                 added in FOLDER
  --everywhere   run all tests of the library for the survivors, not only those of their folder
  --jobs N       the number of mutants that run at once, 1 by default

FOLDER is a scratch clone, whose sources are rewritten; it is made if it does not exist. The results
are in FOLDER/.build/mutants/results.tsv, which grows while the mutants run: result, place, number,
pattern, the original and the changed text, and the test that failed. 360 mutants take 15 minutes
to build and 45 to run on two quiet cores.

A mutant is one place with one change:

  comparison   `<` and `<=`, `>` and `>=`, `==` and `!=`, `&&` and `||` are exchanged
  condition    an element of `guard`, `if` or `while` is negated
  guard        an element of `guard` is always true
  constant     a number is increased if it is at most 16, else doubled; of a hexadecimal one the
               lowest bit is changed

All mutants are compiled into one build, in which the environment variable KF_MUTANT chooses one
(mutant schemata, Untch, Offutt and Harrold 1993). The build also notes which mutants a test reaches,
so that a mutant runs only those files of tests: first the ones that are named like its source file,
then those of its folder, first the closest, last the slow ones, and all others with --everywhere:
passes 1 to 5 in the results. A failed test and a crash kill it. `timed out` is one with a test that
has not ended after its limit, which may be because of the mutant or of a busy machine; `unreached` is
what no test executes. Tests that need nginx are skipped where FOLDER or the machine has none:
`Scripts/test.sh tests` in FOLDER fetches it.

To see a test fail: KF_MUTANT=NUMBER swift test --skip-build --filter NAME in FOLDER.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import random
import re
import signal
import subprocess
import sys
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent

# Folders of sources, and the folders of tests that mirror them.
FOLDERS = {
    "Sources/Kingfisher/Caching": "Tests/KingfisherTests/Caching",
    "Sources/Kingfisher/HTTP": "Tests/KingfisherTests/HTTP",
    "Sources/Kingfisher/Isolation": "Tests/KingfisherTests/Isolation",
    "Sources/Kingfisher/Processing": "Tests/KingfisherTests/Processing",
    "Sources/KFCodecs/Containers": "Tests/KFCodecsTests",
    "Sources/KFCodecs/Metadata": "Tests/KFCodecsTests",
}
MODULES = ("KFCodecs", "Kingfisher")
TESTS = ("Tests/KingfisherTests", "Tests/KFCodecsTests")

EXCHANGED = {
    "<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "===": "!==",
    "!==": "===", "&&": "||", "||": "&&",
}  # fmt: skip
OPERATOR = re.compile(r"(?<= )(===|!==|==|!=|<=|>=|<|>|&&|\|\|)(?= )")
NUMBER = re.compile(r"(?<![\w.$\-])(0x[0-9A-Fa-f_]+|\d[\d_]*(?:\.\d+)?)(?!\w|\.\d)")
# Lines whose change would not be a fault of the program, or cannot be chosen at run time.
LEFT_OUT = re.compile(
    r"^\s*(case\b|default\b|@|#|import\b)|\b(precondition|assert|fatalError|unreachable)\w*\("
    r"|\b[lL]og\w*\.|\brepeating: 0\b|\bfallthrough\b|\.reserveCapacity\("
)
BINDING = re.compile(r"\s*(let|var|case|_|try|await|#\w+|unsafe)\b")
# What stands in place of a failed test if one has not ended.
NO_END = "no end"
# In seconds; files of tests that take longer are left to the last passes.
SLOW = 6
# The number of files of tests in the second pass.
CLOSEST = 4
# Extra mutants for those that do not compile.
SPARE = 1.2

CHOICE = """
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "CKFKernels.h"

static int chosen = -1;
static unsigned char unrecorded[4096];
static unsigned char *reached = unrecorded;

__attribute__((constructor)) static void choose(void) {
    const char *number = getenv("KF_MUTANT"), *path = getenv("KF_MUTANTS_REACHED");
    if (number) chosen = atoi(number);
    if (!path) return;
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0) return;
    void *map = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (map != MAP_FAILED) reached = map;
    close(file);
}

_Bool kf_mutant(int number) {
    reached[number] = 1;
    return number == chosen;
}
"""

HELPERS = """internal import CKFKernels

func mutant(_ number: Int32) -> Bool { kf_mutant(number) }

func mutated<Value>(_ number: Int32, _ value: Value, _ changed: Value) -> Value {
    kf_mutant(number) ? changed : value
}
"""


class Stopped(Exception):
    """A message for the user, after which the program ends."""


# Reading Swift


def masked(text):
    """The text with spaces instead of comments, and `x` instead of the contents of strings."""
    pattern = re.compile(
        r'//[^\n]*|/\*.*?\*/|#*"""(?:.*?)"""#*|#+".*?"#+|"(?:\\.|[^"\\\n])*"', re.DOTALL
    )

    def blank(match):
        filler = " " if match[0].startswith("/") else "x"
        return re.sub(r"[^\n]", filler, match[0])

    return pattern.sub(blank, text)


def closing(text, start, end_of):
    """The first position from `start` outside of brackets for which `end_of` holds, or None."""
    depth = 0
    for position in range(start, len(text)):
        if depth == 0 and end_of(position):
            return position
        if text[position] in "([{":
            depth += 1
        elif text[position] in ")]}":
            depth -= 1
            if depth < 0:
                return None
    return None


def is_balanced(text):
    return closing(text + ";", 0, lambda position: position == len(text)) is not None


def elements(text, start, end):
    """The ranges between the commas outside of brackets."""
    ranges, depth, first = [], 0, start
    for position in range(start, end):
        if text[position] in "([{":
            depth += 1
        elif text[position] in ")]}":
            depth -= 1
        elif text[position] == "," and depth == 0:
            ranges.append((first, position))
            first = position + 1
    return ranges + [(first, end)]


def trimmed(text, start, end):
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def inlinable_ranges(text):
    """What other modules compile, too."""
    for match in re.finditer(r"@(inlinable|_alwaysEmitIntoClient|_transparent)\b", text):
        opening = text.find("{", match.end())
        if opening >= 0:
            end = closing(text, opening + 1, lambda position: text[position] == "}")
            yield match.start(), end or len(text)


def conditions(text):
    """The elements of conditions: range, and the keyword."""
    for match in re.finditer(r"(?<![\w.`])(if|guard|while)\s", text):
        keyword = match[1]
        if keyword == "guard":

            def is_end(position):
                return re.match(r"\belse\b", text[position : position + 5]) is not None

        else:

            def is_end(position):
                return text[position] == "{"

        end = closing(text, match.end(), is_end)
        if end is None or re.search(r"\}\s*$", text[: match.start()]) and keyword == "while":
            continue
        for first, last in elements(text, match.end(), end):
            first, last = trimmed(text, first, last)
            if last > first and not BINDING.match(text, first) and "{" not in text[first:last]:
                yield first, last, keyword


def expressions(text):
    """Values with a comparison: returned, assigned, or alone in braces on a line."""
    for match in re.finditer(
        r"(?:^\s*return |(?<=[^=!<>]) = )([^\n]+(?:\n\s*(?:\|\||&&|\?|:) [^\n]+)*)$", text, re.M
    ):
        if is_balanced(match[1]) and not match[1].rstrip().endswith(("{", ",", "||", "&&", "=")):
            yield trimmed(text, *match.span(1))
    for match in re.finditer(r"\{ (?:\(?[\w, ]+\)? in )?([^{}\n]+) \}", text):
        if is_balanced(match[1]) and not re.search(r";|\breturn\b|[^=!<>]=[^=]", match[1]):
            yield trimmed(text, *match.span(1))


def candidates(file, source):
    """All mutants of a file: start, end, pattern, new text (`#` for the number), original, change."""
    text = masked(source)
    forbidden = list(inlinable_ranges(text))
    lines = text.splitlines()

    def is_allowed(start, end):
        first, last = text.count("\n", 0, start), text.count("\n", 0, end)
        return not any(LEFT_OUT.search(line) for line in lines[first : last + 1]) and not any(
            start < stop and begin < end for begin, stop in forbidden
        )

    def compared(start, end):
        for operator in OPERATOR.finditer(text, start, end):
            change = EXCHANGED[operator[0]]
            changed = source[start : operator.start()] + change + source[operator.end() : end]
            original = source[start:end]
            new = f"(mutant(#) ? ({changed}) : ({original}))"
            yield start, end, "comparison", new, original, changed

    found = []
    for start, end, keyword in conditions(text):
        original = source[start:end]
        found += compared(start, end)
        negated = f"(mutant(#) ? !({original}) : ({original}))"
        found.append((start, end, "condition", negated, original, f"!({original})"))
        if keyword == "guard":
            always = f"(mutant(#) ? true : ({original}))"
            found.append((start, end, "guard", always, original, "true"))
    for start, end in expressions(text):
        found += compared(start, end)
    for number in NUMBER.finditer(text):
        literal = number[1]
        if "." in literal:
            changed = str(float(literal.replace("_", "")) * 2 or 1.0)
        elif literal.startswith("0x"):
            changed = hex(int(literal, 16) ^ 1)
        else:
            value = int(literal)
            changed = str(value + 1 if value <= 16 else value * 2)
        new = f"mutated(#, {literal}, {changed})"
        found.append((*number.span(1), "constant", new, literal, changed))
    for mutant in found:
        if is_allowed(mutant[0], mutant[1]):
            yield (file, text.count("\n", 0, mutant[0]) + 1, *mutant)


# Choosing and building


def sample(folder, count, seed):
    """A spread of mutants: by size of the folders, at most one on a line, and each pattern alike."""
    rng = random.Random(seed)
    by_folder = {}
    for sources in FOLDERS:
        files = sorted((folder / sources).rglob("*.swift"))
        texts = {str(file.relative_to(folder)): file.read_text() for file in files}
        found = [mutant for file, text in texts.items() for mutant in candidates(file, text)]
        by_folder[sources] = found, sum(text.count("\n") for text in texts.values())
    lines = sum(size for _, size in by_folder.values())
    chosen = []
    for found, size in by_folder.values():
        wanted = round(count * SPARE * size / lines)
        queues = {}
        rng.shuffle(found)
        for mutant in found:
            queues.setdefault(mutant[4], []).append(mutant)
        taken, used = [], {}
        while len(taken) < wanted and any(queues.values()):
            for queue in queues.values():
                while queue:
                    mutant = queue.pop()
                    file, _, start, end = mutant[:4]
                    source = masked((folder / file).read_text())
                    span = source.count("\n", 0, start), source.count("\n", 0, end)
                    if all(span[1] < low or high < span[0] for low, high in used.get(file, [])):
                        used.setdefault(file, []).append(span)
                        taken.append(mutant)
                        break
        chosen += taken[:wanted]
    chosen.sort(key=lambda mutant: mutant[:3])
    return [
        dict(number=number, file=file, line=line, start=start, end=end, pattern=pattern,
             new=new.replace("#", str(number)), original=original, changed=changed)
        for number, (file, line, start, end, pattern, new, original, changed) in enumerate(chosen)
    ]  # fmt: skip


def git(folder, *arguments):
    subprocess.run(["git", "-C", folder, *arguments], check=True, stdout=subprocess.DEVNULL)


def rewrite(folder, table):
    """Writes the sources with all mutants of the table."""
    git(folder, "checkout", "HEAD", "--", "Sources")
    by_file = {}
    for mutant in table:
        by_file.setdefault(mutant["file"], []).append(mutant)
    for file, mutants in by_file.items():
        text = (folder / file).read_text()
        for mutant in sorted(mutants, key=lambda mutant: -mutant["start"]):
            text = text[: mutant["start"]] + mutant["new"] + text[mutant["end"] :]
        (folder / file).write_text(text)
    kernels = folder / "Sources/CKFKernels"
    (kernels / "mutants.c").write_text(CHOICE)
    header = kernels / "include/CKFKernels.h"
    header.write_text(header.read_text() + "\n_Bool kf_mutant(int number);\n")
    for module in MODULES:
        (folder / "Sources" / module / "Mutants.swift").write_text(HELPERS)
    # Workers inherit named variables alone.
    process = folder / "Sources/Kingfisher/Isolation/WorkerProcess.swift"
    text = process.read_text()
    if '"LLVM_PROFILE_FILE",' not in text:
        raise Stopped("WorkerProcess.swift no longer lists the variables that workers inherit")
    process.write_text(
        text.replace(
            '"LLVM_PROFILE_FILE",', '"LLVM_PROFILE_FILE", "KF_MUTANT", "KF_MUTANTS_REACHED",'
        )
    )


def swift_build(folder, *arguments):
    """Builds; returns the lines with errors, and the output."""
    command = ["swift", "build", "-Xswiftc", "-continue-building-after-errors", *arguments]
    result = subprocess.run(
        command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if result.returncode == 0:
        return set(), result.stdout
    errors = set()
    for path, line in re.findall(r"^(/\S+\.swift):(\d+):\d+: error:", result.stdout, re.M):
        errors.add((os.path.relpath(path, folder.resolve()), int(line)))
    return errors or {("", 0)}, result.stdout


def build(folder, table):
    """Builds without the mutants that do not compile; returns the others."""
    for target in MODULES:
        while True:
            rewrite(folder, table)
            started = time.monotonic()
            errors, output = swift_build(folder, "--target", target)
            say(f"{target}: {len(errors)} lines do not compile, {time.monotonic() - started:.0f} s")
            if not errors:
                break
            kept = [mutant for mutant in table if not is_hit(mutant, errors)]
            if len(kept) == len(table):
                raise Stopped(f"the build fails for another reason:\n{output[-3000:]}")
            table = kept
    return table


def is_hit(mutant, errors):
    last = mutant["line"] + mutant["original"].count("\n") * 2
    return any(
        file == mutant["file"] and mutant["line"] <= line <= last for file, line in errors
    )


def build_tests(folder):
    say("building the tests")
    errors, output = swift_build(folder, "--build-tests")
    if errors:
        raise Stopped(f"the tests do not compile:\n{output[-3000:]}")


# Running


class Run:
    """One run of some files of tests, ended at its first failure."""

    FAILURE = re.compile(r"✘\S* Test (.*?) recorded an issue")

    def __init__(self, folder, files, variables, limit, ignored=frozenset()):
        self.failure = None
        self.failures = []
        names = "|".join(re.escape(pathlib.Path(file).name) for file in files)
        environment = dict(
            os.environ,
            SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH="2",
            SWIFT_BACKTRACE="enable=no",
            NO_COLOR="1",
            **variables,
        )
        started = time.monotonic()
        process = subprocess.Popen(
            [
                ".build/debug/KingfisherPackageTests.xctest",
                "--testing-library", "swift-testing", "--filter", f"/({names}):",
            ],
            cwd=folder, env=environment, start_new_session=True, text=True, errors="replace",
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip

        def end():
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                pass

        def stop():
            self.failure = self.failure or f"{NO_END} in {limit:.0f} s"
            end()

        timer = threading.Timer(limit, stop)
        timer.start()
        seen_all = False
        for line in process.stdout:
            match = self.FAILURE.search(line)
            if match and match[1] not in ignored:
                self.failure = self.failure or match[1]
                self.failures.append(match[1])
                if variables.get("KF_MUTANT"):
                    end()
                    break
            seen_all = seen_all or "Test run with" in line
        process.stdout.close()
        process.wait()
        timer.cancel()
        if not seen_all:
            self.failure = self.failure or f"crash, status {process.returncode}"
        self.seconds = time.monotonic() - started


def test_files(folder, root):
    """The files of a folder that have tests."""
    return [
        str(file.relative_to(folder))
        for file in sorted((folder / root).rglob("*.swift"))
        if "@Test" in file.read_text()
    ]


def measure(folder, state, roots):
    """Runs each file of tests without a mutant: which mutants it reaches, how long it takes."""
    known = state.setdefault("reached", {})
    record = folder / ".build/mutants/reached"
    for root in roots:
        for file in test_files(folder, root):
            digest = hashlib.sha256((folder / file).read_bytes()).hexdigest()
            if known.get(file, {}).get("digest") == digest:
                continue
            record.write_bytes(bytes(4096))
            run = Run(folder, [file], {"KF_MUTANTS_REACHED": str(record.resolve())}, 600)
            reached = [number for number, flag in enumerate(record.read_bytes()) if flag]
            known[file] = dict(
                digest=digest, seconds=run.seconds, reached=reached, failures=run.failures
            )
            if run.failure:
                say(f"{file} fails without a mutant: {run.failure}")
            state.save()


def suites_of(mutant):
    """The beginning of the names of the files with its tests."""
    stem = pathlib.Path(mutant["file"]).stem
    return [stem, stem.split("+")[0], re.sub(r"s$", "", stem.split("+")[0])]


def try_out(folder, mutant, files, known):
    """Runs files of tests with a mutant; returns the failure, or None."""
    if not files:
        return None
    files = sorted(files, key=lambda file: known[file]["seconds"])
    ignored = {test for file in files for test in known[file]["failures"]}
    limit = 30 + 3 * sum(known[file]["seconds"] for file in files)
    return Run(folder, files, {"KF_MUTANT": str(mutant["number"])}, limit, ignored).failure


def tests_of(number, mutant, known):
    """The files of tests that reach a mutant and are run for it in this pass."""
    (tests,) = [tests for sources, tests in FOLDERS.items() if mutant["file"].startswith(sources)]
    reaching = [file for file in known if mutant["number"] in known[file]["reached"]]
    quick = [file for file in reaching if known[file]["seconds"] <= SLOW]
    named = [
        file for file in reaching if pathlib.Path(file).stem.startswith(tuple(suites_of(mutant)))
    ]
    near = [file for file in quick if file.startswith(tests + "/") and file not in named]
    # Tests that reach few mutants are about this part.
    near.sort(key=lambda file: len(known[file]["reached"]))
    others = [file for file in quick if file not in named + near]
    slow = [file for file in reaching if file not in named + quick]
    slow_near = [file for file in slow if file.startswith(tests + "/")]
    others += [file for file in slow if file not in slow_near]
    return [named, near[:CLOSEST], near[CLOSEST:], slow_near, others][number - 1]


def run_mutants(folder, state, number, jobs):
    """Runs one pass of all mutants that have survived so far."""
    lock = threading.Lock()

    def run(mutant):
        result = state["results"].get(str(mutant["number"])) or dict(killed=0, test="", passes=[])
        if result["killed"] or number in result["passes"]:
            return
        files = tests_of(number, mutant, state["reached"])
        failure = try_out(folder, mutant, files, state["reached"])
        with lock:
            result["test"] = failure or ""
            result["killed"] = number if failure else 0
            result["passes"].append(number)
            state["results"][str(mutant["number"])] = result
            state.save()
            write_results(state)

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for _ in pool.map(run, state["table"]):
            pass


def kind(mutant, state):
    """What became of a mutant, in words."""
    result = state["results"].get(str(mutant["number"]))
    if not result:
        return "waiting"
    if result["killed"]:
        end = "timed out" if result["test"].startswith(NO_END) else "killed"
        return f"{end} {result['killed']}"
    is_reached = any(mutant["number"] in known["reached"] for known in state["reached"].values())
    return "survived" if is_reached else "unreached"


def write_results(state):
    with open(state.path.with_name("results.tsv"), "w") as table:
        for mutant in state["table"]:
            test = state["results"].get(str(mutant["number"]), {}).get("test", "")
            columns = [kind(mutant, state), f"{mutant['file']}:{mutant['line']}"]
            columns += [mutant[name] for name in ("number", "pattern", "original", "changed")]
            texts = [re.sub(r"\s+", " ", str(column)) for column in [*columns, test]]
            table.write("\t".join(texts) + "\n")


class State(dict):
    """What a run knows, kept in a file from one run to the next."""

    def __init__(self, path):
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(json.loads(path.read_text()) if path.exists() else {})

    def save(self):
        new = self.path.with_suffix(".new")
        new.write_text(json.dumps(self))
        new.replace(self.path)


def say(text):
    print(text, flush=True)


def summary(state):
    kinds = [kind(mutant, state) for mutant in state["table"]]
    for name in sorted(set(kinds)):
        say(f"{kinds.count(name):4d} {name}")
    alive = [mutant for mutant in state["table"] if not kind(mutant, state).startswith("killed")]
    say(f"{len(kinds)} mutants, {100 * len(alive) / max(1, len(kinds)):.1f} % survive or timed out:")
    for mutant in alive:
        change = re.sub(r"\s+", " ", f"{mutant['original']}  →  {mutant['changed']}")
        place = f"{mutant['file']}:{mutant['line']}"
        say(f"{mutant['number']:4d} {kind(mutant, state):11} {place}  {change}")


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1].removeprefix("usage: "))
    parser.add_argument("--count", type=int, default=360)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--continue", dest="goes_on", action="store_true")
    parser.add_argument("--again", action="store_true")
    parser.add_argument("--everywhere", action="store_true")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    folder = options.folder
    if folder.resolve() == ROOT:
        raise Stopped("FOLDER is this clone; name another one, whose sources may be rewritten")
    if not folder.exists():
        subprocess.run(["git", "clone", "--quiet", ROOT, folder], check=True)
    state = State(folder / ".build/mutants/state.json")
    if not (options.goes_on or options.again):
        state.clear()
        state.path.with_name("results.tsv").unlink(missing_ok=True)
    if "table" not in state:
        git(folder, "checkout", "HEAD", "--", "Sources")
        state["table"] = build(folder, sample(folder, options.count, options.seed))
        build_tests(folder)
        state.save()
    elif options.again:
        build_tests(folder)
        results = state["results"].items()
        state["results"] = {
            number: result
            for number, result in results
            if result["killed"] and not result["test"].startswith(NO_END)
        }
    state.setdefault("results", {})
    measure(folder, state, sorted(set(FOLDERS.values())))
    for number in range(1, 5):
        run_mutants(folder, state, number, options.jobs)
    if options.everywhere:
        measure(folder, state, TESTS)
        run_mutants(folder, state, 5, options.jobs)
    summary(state)


if __name__ == "__main__":
    try:
        main()
    except (Stopped, subprocess.CalledProcessError) as error:
        sys.exit(f"error: {error}")
