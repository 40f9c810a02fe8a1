#!/usr/bin/env python3
"""Do the tests see a change? Flips one comparison, operator or constant at a time and runs the tests: whatever still passes has a test missing.

    tests/mutate/run.py --sample 40 --seed 1          # some of rules, accounting and fix writers
    tests/mutate/run.py --list                        # how many mutants there are
    tests/mutate/run.py --only rules/batch --sample 0 # all of a folder or a file

Takes the released build (`./dev mutate` makes it) and writes below build/mutate alone. All mutants of the rules are one program (rules.py); one
of another file is an object that is linked before the library's. First the tests of that rule or part run, then, of a mutant that passes
them, all that run inside the process. A mutant that does not compile is none. One that no test can see because it does the same stands in
equal.tsv with the reason, and is not tried. The law's mutants are a test of their own (law_mutants_test.cc).
"""

import argparse
import hashlib
import pathlib
import random
import re
import subprocess
import sys

import rules

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
FOLDER = ROOT / "build" / "mutate"

# What a mutant of a file is tried with first.
ACCOUNTS = "Activations*:Memory*:Parameters*:State*:Time*:Network*:Pipeline*:Plans*:Ranks*:Axes*:Sections*:PublishedPlans*"
WRITERS = "Writers*:WriteValue*:InsertKey*:RemoveFact*:RenameKey*:LineDiffs*:UnifiedDiff*:Files*:Search*:*Offered*:WithChanges*"
OTHERS = {
    **{f"checker/plan/{name}.cc": ACCOUNTS for name in ("axes", "costs", "layout", "memory", "model", "network", "pipeline", "placement",
                                                        "ranks", "stages", "time")},
    **{f"checker/fix/{name}.cc": WRITERS for name in ("writer", "writer_flow", "writer_text", "yaml_writer", "toml_writer", "json_writer")},
}
# Those that start processes, that are slow, or that look at this tree add nothing.
ALL = "-Robust*:Instructions*:Hostile*:*Cxx*:Install*:PreCommit*:Living*:Mutants*:Readme*:HtmlInBrowser*:Slurm*:Submit*:Ci*:*Layers*:Properties*"

# What stands on the left becomes one of those on the right. Blanks around an operator keep templates, arrows and includes out.
OPERATORS = {" <= ": [" < ", " > "], " >= ": [" > ", " < "], " < ": [" <= ", " >= "], " > ": [" >= ", " <= "], " == ": [" != "], " != ": [" == "],
             " && ": [" || "], " || ": [" && "], " + ": [" - "], " - ": [" + "], " * ": [" + "], " / ": [" * "], " % ": [" / "]}
NUMBER = re.compile(r"(?<![\w.\"'#-])(\d+)(?![\w.'\"])")


def mutants_of(path):
    """(path, line, column, old, new), one for each change that could be made."""
    out = []
    text = path.read_text()
    info = rules.INFO.search(text)
    lines_of_info = range(text[:info.start()].count("\n"), text[:info.end()].count("\n")) if info else ()
    for number, line in enumerate(text.split("\n")):
        code = re.sub(r'"(\\.|[^"\\])*"', lambda m: " " * len(m.group()), line).split("//")[0]
        if code.lstrip().startswith("#") or "static_assert" in code or "clang-format" in line or number in lines_of_info:
            continue
        for old, news in OPERATORS.items():
            at = code.find(old)
            while at >= 0:
                out += [(path, number, at, old, new) for new in news]
                at = code.find(old, at + 1)
        out += [(path, number, match.start(), match.group(), str(int(match.group()) + 1)) for match in NUMBER.finditer(code)]
    return out


def known_equal():
    """(path, line, change) of mutants that do the same, by what stands in the line."""
    out = set()
    for line in (ROOT / "tests/mutate/equal.tsv").read_text().splitlines():
        if line and not line.startswith("#"):
            out.add(tuple(line.split("\t")[:3]))
    return out


def key(mutant):
    path, number, column, old, new = mutant
    line = path.read_text().split("\n")[number]
    return str(path.relative_to(ROOT)), line.strip(), f"{column - len(line) + len(line.lstrip())}: {old.strip()} -> {new.strip()}"


class Objects:
    """Mutants of files that are no rules: each an object of its own, compiled as the build compiles it and linked before the library."""

    def __init__(self):
        FOLDER.mkdir(parents=True, exist_ok=True)
        self.whole = {}

    def compiled(self, path, text):
        source = FOLDER / path.name
        source.write_text(text)
        built = f"CMakeFiles/shardlint_checker.dir/{path.relative_to(ROOT)}.o"
        command = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "-s", built], check=True, capture_output=True, text=True).stdout.strip()
        out = FOLDER / f"{path.stem}.o"
        command = command.replace(f" -o {built}", f" -o {out}").replace(f" -c {path}", f" -w -O1 -c {source}")
        command = re.sub(r" -MD -MT \S+ -MF \S+", "", re.sub(r"^\S*ccache ", "", command))
        return out if subprocess.run(command, shell=True, cwd=BUILD, stderr=subprocess.DEVNULL).returncode == 0 else None

    def program(self, mutant):
        """Null: refused by the compiler, or the same program."""
        path = mutant[0]
        text = path.read_text()
        if path not in self.whole:
            self.whole[path] = hashlib.sha256(self.compiled(path, text).read_bytes()).digest()
        made = self.compiled(path, rules.mutated(text, mutant))
        if made is None or hashlib.sha256(made.read_bytes()).digest() == self.whole[path]:
            return None
        return rules.link(BUILD, [made], FOLDER / "shardlint_tests_of_one")


def first_tests(path):
    if path.parts[len(ROOT.parts)] == "rules":
        return f"*PageTest*/{path.parent.name}_{path.stem}:Rules*"
    return OTHERS[str(path.relative_to(ROOT))]


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--sample", type=int, default=40, help="how many; 0: all")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--only", default="", help="a folder or a file")
    options.add_argument("--list", action="store_true")
    asked = options.parse_args()
    paths = [*sorted((ROOT / "rules").glob("*/*.cc")), *(ROOT / name for name in OTHERS)]
    equal = known_equal()
    mutants = [m for path in paths if str(path.relative_to(ROOT)).startswith(asked.only) for m in mutants_of(path) if key(m) not in equal]
    if asked.list:
        print(len(mutants))
        return
    whole = len(mutants)
    if asked.sample:
        mutants = sorted(random.Random(asked.seed).sample(mutants, min(asked.sample, whole)))
    of_rules = [m for m in mutants if m[0].parts[len(ROOT.parts)] == "rules"]
    program = rules.Program(ROOT, BUILD, FOLDER, of_rules) if of_rules else None
    objects = Objects()
    counts = {}
    for mutant in mutants:
        path, number, _, old, new = mutant
        if mutant in of_rules:
            index = of_rules.index(mutant) + 1
            tests = None if index in program.refused else program.path
        else:
            index, tests = 0, objects.program(mutant)
        if tests is None:
            verdict = "none"
        else:
            verdict = "ALIVE" if all(rules.passes(ROOT, tests, index, which) for which in (first_tests(path), ALL)) else "killed"
        counts[verdict] = counts.get(verdict, 0) + 1
        print(f"{verdict:8} {path.relative_to(ROOT)}:{number + 1}: `{old.strip()}` -> `{new.strip()}`" +
              ("\n         " + "\t".join(key(mutant)) if verdict == "ALIVE" else ""), flush=True)
    print(f"{len(mutants)} of {whole} mutants: " + ", ".join(f"{count} {verdict}" for verdict, count in sorted(counts.items())))
    sys.exit(1 if counts.get("ALIVE") else 0)


if __name__ == "__main__":
    main()
