"""All mutants of all rules in one program: each rule's source is compiled once with a copy of its check for every mutant of it, and the
variable SHARDLINT_MUTANT says at start which copy runs. So a mutant costs a run of the tests, and no build.

A rule is a constant kInfo and a function `check` in a namespace without a name; what else it declares is copied with them."""

import os
import pathlib
import re
import shlex
import subprocess

INFO = re.compile(r"^constexpr RuleInfo kInfo\{.*?\};\n", re.S | re.M)
ENTRY = re.compile(r"^extern constinit const Rule (\w+)\{&kInfo, check\};\n", re.M)
INCLUDE = re.compile(r"^#include .*\n", re.M)
OPEN, CLOSE = "namespace shardlint::rules {\n", "}  // namespace shardlint::rules"

SWITCH = """#include <cstdlib>
namespace shardlint::rules {
int mutant() {
  static const int number = [] {
    const char* said = std::getenv("SHARDLINT_MUTANT");
    return said ? std::atoi(said) : 0;
  }();
  return number;
}
}  // namespace shardlint::rules
"""


def mutated(text, mutant):
    _, number, column, old, new = mutant
    lines = text.split("\n")
    lines[number] = lines[number][:column] + new + lines[number][column + len(old):]
    return "\n".join(lines)


def body(text):
    inner = text[text.index(OPEN) + len(OPEN):text.rindex(CLOSE)]
    return ENTRY.sub("", INFO.sub("", inner))


def source(path, numbered):
    """The rule with its mutants, which are (number, mutant)."""
    text = path.read_text()
    entry = ENTRY.search(text).group(1)
    out = ["".join(INCLUDE.findall(text)), "namespace shardlint::rules {\nint mutant();\n", f"namespace of_{entry} {{\n", INFO.search(text).group(0)]
    for number, one in [(0, text), *((number, mutated(text, mutant)) for number, mutant in numbered)]:
        out.append(f'namespace m{number} {{\n#line 1 "mutant-{number}"\n{body(one)}\n}}\n')
    out.append('#line 1 "switch"\nvoid check(const Plan& plan, Sink& sink) {\n  switch (mutant()) {\n')
    out += [f"    case {number}: return m{number}::check(plan, sink);\n" for number, _ in numbered]
    out.append(f"    default: return m0::check(plan, sink);\n  }}\n}}\n}}\nextern constinit const Rule {entry}{{&of_{entry}::kInfo, of_{entry}::check}};\n}}\n")
    return "".join(out)


class Program:
    """The tests, linked with rules that can be any of their mutants."""

    def __init__(self, root, build, folder, mutants):
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder / "shardlint_tests"
        self.refused = set()
        by_file = {}
        for number, mutant in enumerate(mutants, 1):
            by_file.setdefault(mutant[0], []).append((number, mutant))
        objects = [self.compiled(root, folder, "switch", lambda _: SWITCH, [])]
        for path, numbered in by_file.items():
            objects.append(self.compiled(root, folder, f"{path.parent.name}-{path.stem}", lambda kept, path=path: source(path, kept), numbered))
        link(build, objects, self.path)

    def compiled(self, root, folder, name, text, numbered):
        cc, out = folder / f"{name}.cc", folder / f"{name}.o"
        while True:
            kept = [(number, mutant) for number, mutant in numbered if number not in self.refused]
            cc.write_text(text(kept))
            llvm = "/usr/lib/llvm-19/include"
            done = subprocess.run(["c++", "-std=c++20", "-O0", "-w", "-DFMT_SHARED", f"-I{root}", "-isystem", llvm, "-c", cc, "-o", out],
                                  capture_output=True, text=True)
            if done.returncode == 0:
                return out
            refused = {int(number) for number in re.findall(r"^mutant-(\d+):\d+:\d+: (?:fatal )?error", done.stderr, re.M)} - {0} - self.refused
            if not refused:
                raise SystemExit(f"mutate: {name} does not compile:\n{done.stderr[:3000]}")
            self.refused |= refused


def link(build, objects, out):
    command = subprocess.run(["ninja", "-C", build, "-t", "commands", "-s", "shardlint_tests"], check=True, capture_output=True,
                             text=True).stdout.strip().split("\n")[-1]
    # Ours before the library that has the same: the linker takes what it meets first.
    command = command.replace(" -o shardlint_tests ", f" {shlex.join(map(str, objects))} -o {out} ")
    subprocess.run(command, shell=True, cwd=build, check=True)
    return out


def passes(root, program, number, tests):
    try:
        return subprocess.run([program, "--gtest_brief=1", "--gtest_fail_fast", f"--gtest_filter={tests}"], cwd=root,
                              env={**os.environ, "SHARDLINT_MUTANT": str(number)}, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=300).returncode == 0
    except subprocess.TimeoutExpired:
        return False  # a loop without end is seen
