#!/usr/bin/env python3
"""Do the tests see a change? Flips one comparison or constant at a time and runs the tests: whatever still passes has a test missing.

    tests/mutate/run.py --sample 40 --seed 1          # some of rules, constraints, accounting and fix writers
    tests/mutate/run.py --list                        # how many mutants there are
    tests/mutate/run.py --only rules/batch            # those of a folder or a file

Works in a copy of the tree (build/mutate), with its own release build, one mutant at a time. A mutant that does not compile is none; a
mutant that the compiler turns into the same program is counted as equal and not as alive.
"""

import argparse
import hashlib
import pathlib
import random
import re
import shutil
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
COPY = ROOT / "build" / "mutate"

CODE = [
    *sorted((ROOT / "rules").glob("*/*.cc")),
    *(ROOT / "checker" / "plan" / f"{name}.cc" for name in ("memory", "network", "pipeline", "stages", "time", "layout")),
    *sorted((ROOT / "checker" / "fix").glob("*writer*.cc")),
]
LAW = sorted((ROOT / "schemas").glob("*/constraints.toml"))

# What stands on the left becomes one of those on the right. Blanks around an operator keep templates, arrows and includes out.
OPERATORS = {" <= ": [" < ", " > "], " >= ": [" > ", " < "], " < ": [" <= ", " >= "], " > ": [" >= ", " <= "], " == ": [" != "], " != ": [" == "],
             " && ": [" || "], " || ": [" && "], " + ": [" - "], " - ": [" + "], " * ": [" + "], " / ": [" * "], " % ": [" / "]}
LAW_OPERATORS = {" <= ": [" < ", " > "], " >= ": [" > ", " < "], " < ": [" <= "], " > ": [" >= "], " == ": [" != "], " != ": [" == "],
                 " and ": [" or "], " or ": [" and "], " + ": [" - "], " * ": [" + "], " // ": [" * "]}
NUMBER = re.compile(r"(?<![\w.\"'#-])(\d+)(?![\w.'\"])")


def mutants_of(path):
    """(path, line, column, old, new), one for each change that could be made."""
    law = path.suffix == ".toml"
    operators = LAW_OPERATORS if law else OPERATORS
    out = []
    for number, line in enumerate(path.read_text().split("\n")):
        code = line if law else re.sub(r'"(\\.|[^"\\])*"', lambda m: " " * len(m.group()), line).split("//")[0]
        if law and not re.match(r"\s*(when|require|to)\s*=", line):
            continue
        if not law and (code.lstrip().startswith("#") or "static_assert" in code or "clang-format" in line):
            continue
        for old, news in operators.items():
            at = code.find(old)
            while at >= 0:
                out += [(path, number, at, old, new) for new in news]
                at = code.find(old, at + 1)
        start = code.find("=") + 1 if law else 0
        for match in NUMBER.finditer(code, start):
            out.append((path, number, match.start(), match.group(), str(int(match.group()) + 1)))
    return out


def digest(program):
    return hashlib.sha256(program.read_bytes()).hexdigest()


class Copy:
    def __init__(self, jobs):
        self.jobs = jobs
        names = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True, capture_output=True,
                               text=True).stdout.split("\n")
        for name in filter(None, names):
            if (ROOT / name).is_file():
                target = COPY / name
                if not target.exists() or target.read_bytes() != (ROOT / name).read_bytes():
                    target.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(ROOT / name, target)
        if (ROOT / "build" / "grammars").is_dir():
            shutil.copytree(ROOT / "build" / "grammars", COPY / "build" / "grammars", dirs_exist_ok=True)
        subprocess.run(["cmake", "--preset", "release"], cwd=COPY, check=True, stdout=subprocess.DEVNULL)
        if self.build() != 0:
            sys.exit("mutate: the tree does not build as it is")
        self.tests = COPY / "build" / "release" / "shardlint_tests"
        self.whole = digest(self.tests)
        if not self.passes():
            sys.exit("mutate: the tests fail as they are")

    def build(self):
        return subprocess.run(["ninja", "-C", "build/release", "-j", str(self.jobs), "shardlint", "shardlint_tests"], cwd=COPY,
                              stdout=subprocess.DEVNULL).returncode

    def passes(self):
        # Those of the process, of speed and of what is slow add nothing here.
        command = [str(self.tests), "--gtest_brief=1", "--gtest_fail_fast", "--gtest_filter=-Robust*:*/Bombs*:Instructions*:Hostile*:*Cxx*"]
        try:
            return subprocess.run(command, cwd=COPY, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=300).returncode == 0
        except subprocess.TimeoutExpired:
            return False  # a loop without end is seen

    def verdict(self, mutant):
        path, number, column, old, new = mutant
        target = COPY / path.relative_to(ROOT)
        text = target.read_text()
        lines = text.split("\n")
        line = lines[number]
        lines[number] = line[:column] + new + line[column + len(old):]
        target.write_text("\n".join(lines))
        try:
            if self.build() != 0:
                return "refused"  # by the compiler, or by the law's own
            if digest(self.tests) == self.whole:
                return "equal"
            return "ALIVE" if self.passes() else "killed"
        finally:
            target.write_text(text)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--sample", type=int, default=40)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--list", action="store_true")
    asked = options.parse_args()
    all_mutants = [m for path in CODE + LAW if path.exists() and str(path.relative_to(ROOT)).startswith(asked.only) for m in mutants_of(path)]
    if asked.list:
        print(len(all_mutants))
        return
    sample = random.Random(asked.seed).sample(all_mutants, min(asked.sample, len(all_mutants)))
    copy = Copy(asked.jobs)
    counts = {}
    for mutant in sample:
        path, number, _, old, new = mutant
        verdict = copy.verdict(mutant)
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{verdict:8} {path.relative_to(ROOT)}:{number + 1}: `{old.strip()}` -> `{new.strip()}`", flush=True)
    print(f"{len(sample)} of {len(all_mutants)} mutants: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    sys.exit(1 if counts.get("ALIVE") else 0)


if __name__ == "__main__":
    main()
