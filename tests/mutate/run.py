#!/usr/bin/env python3
"""Do the tests see a change? Flips one comparison, operator or constant at a time and runs the tests: whatever still passes has a test missing.

    tests/mutate/run.py --sample 40 --seed 1     # some of rules, accounting and fix writers
    tests/mutate/run.py --list                   # how many mutants there are
    tests/mutate/run.py --only rules/batch       # all of a folder or a file
    tests/mutate/run.py --alive                  # those again that were alive the last time

Takes the released build (`./dev mutate` makes it) and writes below build/mutate alone. All mutants are one program (schemata.py), but for
those few whose constant the compiler must know. The tests run once, and it is noted which of them would meet another value in which mutant;
then every mutant is tried with those tests, until one fails: first with the tests that are made of tables of plans and edits, and what passes
those with all that run inside the process. A mutant that does not compile is none. One that no test can see because it does the same stands in equal.tsv with the reason, and is not tried. What is alive
stands in build/mutate/verdicts.tsv. The law's mutants are a test of their own (law_mutants_test.cc). What came of it: README.md."""

import argparse
import collections
import concurrent.futures
import os
import pathlib
import random
import re
import resource
import subprocess
import sys

import schemata

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
FOLDER = ROOT / "build" / "mutate"
VERDICTS = FOLDER / "verdicts.tsv"

ACCOUNTING = [f"checker/plan/{name}.cc" for name in ("axes", "costs", "layout", "memory", "model", "network", "pipeline", "placement", "ranks",
                                                     "stages", "time")]
WRITERS = [f"checker/fix/{name}.cc" for name in ("writer", "writer_flow", "writer_text", "yaml_writer", "toml_writer", "json_writer")]
FIRST = ("*Edges*:*Sums*:*PageTest*:Activations*:Memory*:Parameters*:State*:Time*:Network*:Pipeline*:Ranks*:Axes*:Costs*:"
         "WriteValue*:InsertKey*:RemoveFact*:RenameKey*")
# Those that start processes, that are slow, or that look at this tree add nothing.
ALL = ("-Robust*:Instructions*:Hostile*:*Cxx*:Install*:PreCommit*:Living*:Mutants*:Readme*:HtmlInBrowser*:Slurm*:Submit*:Ci*:*Layers*:"
         "Properties*:Sandbox*:Process*:Compile*:Bash*:Examples*:JsonSchema*:MegatronWhatIf*")


class Mutant:
    def __init__(self, source, place, index):
        self.source, self.place, self.new = source, place, place.news[index]
        self.number = place.number + index
        self.line = source.line_of(place.begin)
        self.file = str(source.path.relative_to(ROOT))
        self.change = f"{place.old.strip()} -> {self.new.strip()}"

    def key(self):
        """What stays when lines move: the file, what stands in the line, where in it what becomes what."""
        whole = self.source.text.split("\n")[self.line]
        column = self.place.begin - self.source.text.rfind("\n", 0, self.place.begin) - 1 - len(whole) + len(whole.lstrip())
        return self.file, whole.strip(), f"{column}: {self.change}"

    def switched(self):
        return self.line not in self.source.alone and not (self.place.old[0] != " " and self.line in self.source.fixed)


def keys_in(path, verdict=None):
    """The keys in a table, of one verdict where it has some."""
    lines = [line.split("\t") for line in path.read_text().splitlines() if line and not line.startswith("#")]
    return {tuple(line[-3:]) for line in lines if line[0] == verdict} if verdict else {tuple(line[:3]) for line in lines}


def failing(program, number, tests, seconds):
    """The first test that fails with the mutant; empty: none does."""
    def bounds():
        resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        done = subprocess.run([program, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={':'.join(tests)}"], cwd=ROOT,
                              env={**os.environ, "SHARDLINT_MUTANT": str(number)}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True, errors="replace", timeout=seconds, preexec_fn=bounds)
    except subprocess.TimeoutExpired:
        return "a loop without end"
    failed = re.search(r"^\[  FAILED  \] ([\w./]+)", done.stdout, re.M)
    return "" if done.returncode == 0 else failed.group(1) if failed else "a crash"


class Tests:
    """Which tests could tell which mutant, and how long each takes."""

    def __init__(self, program, tests, seconds):
        self.seconds = seconds
        self.kills = collections.defaultdict(collections.Counter)
        trace = FOLDER / "trace.tsv"
        done = subprocess.run([program, "--gtest_brief=1", f"--gtest_filter={tests}"], cwd=ROOT,
                              env={**os.environ, "SHARDLINT_MUTANT_TRACE": str(trace)}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            raise SystemExit(f"mutate: the tests fail without a mutant:\n{done.stdout[-3000:]}")
        lines = [line.split("\t") for line in trace.read_text().splitlines()]
        self.refused = {int(number) for number in lines[0][2:]}
        self.ms = {name: int(ms) for name, ms, *_ in lines[1:] if name}
        self.of = collections.defaultdict(list)
        everywhere = set()
        for name, _, *numbers in lines[1:]:
            for number in map(int, numbers):
                self.of[number].append(name) if name else everywhere.add(number)
        for number in everywhere:
            self.of[number] = list(self.ms)

    def pass_with(self, program, number, file, names):
        """Those that killed most of the file's mutants and the quick ones first, then more and more."""
        kills = self.kills[file]
        names = sorted(names, key=lambda name: (-kills[name], self.ms[name], name))
        most, spent = 100, 0
        while names and (not self.seconds or spent < 1000 * self.seconds):
            taken, ms = [], 0
            while names and len(taken) < 1000 and (not taken or ms + self.ms[names[0]] <= most):
                ms += self.ms[names[0]]
                taken.append(names.pop(0))
            failed = failing(program, number, taken, 20 + ms / 50)
            if failed:
                kills[failed] += 1
                return False
            most, spent = 10 * most, spent + ms
        return True


class Trial:
    def __init__(self, compiler, sources, jobs, seconds):
        self.compiler, self.jobs, self.seconds = compiler, jobs, seconds
        compiler.read_headers(sources[0].path)
        switch = pathlib.Path(schemata.__file__).with_name("switch.cc")
        said = compiler.compiled(sources[0].path, "switch", switch.read_text())
        if said:
            raise SystemExit(f"mutate: {switch} does not compile:\n{said}")
        with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
            objects = list(pool.map(compiler.with_switches, sources))
        self.program = compiler.program([FOLDER / "switch.o", *objects], "shardlint_tests")

    def verdicts(self, mutants):
        """(mutant, verdict), the alive ones last."""
        for last, which in ((False, FIRST), (True, ALL)):
            tests = Tests(self.program, which, self.seconds) if mutants else None
            alive = []
            with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
                for mutant, verdict in zip(mutants, pool.map(lambda mutant: self.verdict(mutant, tests), mutants)):
                    if verdict in ("none", "killed") or last:
                        yield mutant, verdict
                    else:
                        alive.append(mutant)
            mutants = alive

    def verdict(self, mutant, tests):
        if mutant.switched():
            if mutant.number in tests.refused:
                return "none"
            names = tests.of[mutant.number]
            if not names:
                return "unseen"
            return "ALIVE" if tests.pass_with(self.program, mutant.number, mutant.file, names) else "killed"
        name = f"alone-{mutant.number}"
        if self.compiler.compiled(mutant.source.path, name, mutant.source.with_one(mutant.place, mutant.new)):
            return "none"
        program = self.compiler.program([FOLDER / f"{name}.o"], name)
        near = {test for place in mutant.source.places for number in range(place.number, place.number + len(place.news))
                for test in tests.of[number]}
        alive = tests.pass_with(program, 0, mutant.file, near or tests.ms)
        program.unlink()
        return "ALIVE" if alive else "killed"


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--sample", type=int, default=0, help="how many; 0: all")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="a folder or a file")
    options.add_argument("--alive", action="store_true", help="those that were alive the last time")
    options.add_argument("--seconds", type=float, default=0, help="of tests that a mutant is tried with at most, of either kind; 0: all")
    options.add_argument("--jobs", type=int, default=2)
    options.add_argument("--list", action="store_true")
    asked = options.parse_args()
    paths = [*(ROOT / name for name in ACCOUNTING + WRITERS), *sorted((ROOT / "rules").glob("*/*.cc"))]
    sources = [schemata.Mutated(path, 1000 * index) for index, path in enumerate(paths, 1)]
    mutants = [Mutant(source, place, index) for source in sources for place in source.places for index in range(len(place.news))]
    equal = keys_in(ROOT / "tests/mutate/equal.tsv")
    counts = collections.defaultdict(collections.Counter)
    for mutant in mutants:
        if mutant.key() in equal and mutant.file.startswith(asked.only):
            counts[mutant.file]["equal"] += 1
    unknown = equal - {mutant.key() for mutant in mutants}
    if unknown:
        raise SystemExit("mutate: in equal.tsv, but no mutant:\n" + "\n".join(map("\t".join, sorted(unknown))))
    mutants = [mutant for mutant in mutants if mutant.file.startswith(asked.only) and mutant.key() not in equal]
    if asked.alive:
        again = keys_in(VERDICTS, "ALIVE") | keys_in(VERDICTS, "unseen")
        mutants = [mutant for mutant in mutants if mutant.key() in again]
    if asked.sample:
        mutants = random.Random(asked.seed).sample(mutants, min(asked.sample, len(mutants)))
    if asked.list:
        print(len(mutants))
        return
    wanted = {mutant.source for mutant in mutants}
    trial = Trial(schemata.Compiler(ROOT, BUILD, FOLDER), [source for source in sources if source in wanted], asked.jobs, asked.seconds)
    alive = 0
    with VERDICTS.open("w") as verdicts:
        for mutant, verdict in trial.verdicts(mutants):
            counts[mutant.file][verdict] += 1
            print(verdict, *mutant.key(), sep="\t", file=verdicts, flush=True)
            if verdict in ("ALIVE", "unseen"):
                alive += 1
                print(f"{verdict:7} {mutant.file}:{mutant.line + 1}: `{mutant.change}`\n        " + "\t".join(mutant.key()), flush=True)
    for file, count in counts.items():
        print(f"{file:60} " + ", ".join(f"{number} {verdict}" for verdict, number in sorted(count.items())))
    whole = sum(counts.values(), collections.Counter())
    print(f"{sum(whole.values())} mutants: " + ", ".join(f"{number} {verdict}" for verdict, number in sorted(whole.items())))
    sys.exit(1 if alive else 0)


if __name__ == "__main__":
    main()
