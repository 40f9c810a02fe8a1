#!/usr/bin/env python3
"""Measures shardlint beside its floors and its peers, and prints a table: `./dev bench`.

What stands in one line was measured in turns, in one run; ratios are of processor time, the least of several runs, because the machine
may have other things to do. The same goes to build/bench.json.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = ROOT / "build" / "release"
PROGRAM, FLOOR, STAGES = (str(BUILD / name) for name in ("shardlint", "shardlint_floor", "shardlint_bench"))


class Run:
    """The least that a command took: seconds of the clock and of the processor, and its peak of memory."""

    def __init__(self, command, folder, times=5, okay=(0, 1)):
        self.command, self.folder, self.okay = command, folder, okay
        self.wall = self.cpu = float("inf")
        self.peak = 0
        self.times = times

    def once(self):
        start = time.perf_counter()
        child = subprocess.Popen(self.command, cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        self.wall = min(self.wall, time.perf_counter() - start)
        self.cpu = min(self.cpu, used.ru_utime + used.ru_stime)
        self.peak = max(self.peak, used.ru_maxrss / 1024)  # of this script too, before it became the command: some 12 MB
        if child.returncode not in self.okay:
            sys.exit(f"bench: {' '.join(self.command[:3])} ended with {child.returncode}")


def in_turns(*runs):
    for turn in range(max(run.times for run in runs)):
        for run in runs:
            if turn < run.times:
                run.once()


class Report:
    def __init__(self):
        self.rows, self.bars = [], []

    def row(self, what, run, beside=None, name="", bar=None):
        ratio = run.cpu / beside.cpu if beside else None
        self.add(what, run.wall * 1e3, run.cpu * 1e3, run.peak, ratio, name, bar)

    def add(self, what, wall, cpu, peak, ratio=None, name="", bar=None):
        self.rows.append({"what": what, "wall_ms": wall, "cpu_ms": cpu, "peak_mib": peak, "ratio": ratio, "beside": name, "bar": bar})

    def print(self):
        print(f"{'':46} {'clock ms':>9} {'cpu ms':>9} {'MiB':>6}   ratio")
        for row in self.rows:
            cells = [f"{row[k]:9.2f}" if row[k] is not None else " " * 9 for k in ("wall_ms", "cpu_ms")]
            peak = f"{row['peak_mib']:6.1f}" if row["peak_mib"] is not None else " " * 6
            ratio = "" if row["ratio"] is None else f"{row['ratio']:6.2f} x {row['beside']}"
            bar = "" if row["bar"] is None else f"   (bar {row['bar']})"
            print(f"{row['what']:46} {cells[0]} {cells[1]} {peak}   {ratio}{bar}")


def numbered(folder, count):
    """`count` configs of ours, each a little different, in forty folders."""
    sources = [p for p in sorted((ROOT / "fixtures" / "ok").iterdir()) if p.suffix in (".yaml", ".toml")]
    paths = []
    for i in range(count):
        source = sources[i % len(sources)]
        path = folder / f"d{i % 40}" / f"{i}-{source.name}"
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"# run {i}\n" + source.read_text())
        paths.append(str(path))
    return paths


def growing(folder, lines):
    path = folder / f"{lines}.yaml"
    head = (ROOT / "fixtures" / "ok" / "megatron-500b.yaml").read_text()
    with path.open("w") as out:
        out.write(head + ("" if head.endswith("\n") else "\n") + "NOTES:\n")
        for i in range(lines - head.count("\n") - 1):
            out.write(f"  - shard-{i:07}.bin  # tokens {i}\n")
    return path


def peers(folder, files, report, mine):
    """Other programs on the same files. They look for other things: this is what people are used to wait for."""
    yaml = [f for f in files if f.endswith(".yaml")]
    toml = [f for f in files if f.endswith(".toml")]
    found = []
    if shutil.which("yamllint"):
        found.append(("yamllint (YAML only)", ["yamllint", "-d", "relaxed", *yaml], (0, 1)))
    taplo = shutil.which("taplo", path=f"{ROOT}/build/npm/node_modules/.bin:{os.environ['PATH']}")
    if taplo:
        found.append(("taplo lint (TOML only)", [taplo, "lint", *toml], (0, 1)))
    for name, command, okay in found:
        run = Run(command, folder, 2, okay)
        in_turns(run)
        report.row(name, run, mine, "shardlint")
    for name, there in (("yamllint", shutil.which("yamllint")), ("taplo", taplo)):
        if not there:
            print(f"bench: {name} is not installed and is left out", file=sys.stderr)


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--quick", action="store_true", help="a tenth of the files and lines")
    options.add_argument("--output", default=str(ROOT / "build" / "bench.json"))
    asked = options.parse_args()
    report = Report()
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place)
        small = folder / "small.toml"
        small.write_text((ROOT / "fixtures" / "ok" / "torchtitan-500b.toml").read_text())
        many = folder / "many"
        many.mkdir()
        files = numbered(many, 200 if asked.quick else 2000)
        runs = folder / "runs"
        runs.mkdir()
        plans = 100 if asked.quick else 1000
        (runs / "base.yaml").write_text((ROOT / "fixtures" / "ok" / "megatron-500b.yaml").read_text())
        (runs / "shardlint.toml").write_text(
            "[cluster]\nnodes = 640\ngpus_per_node = 8\n" + "".join(f'[[run]]\nname = "r{i}"\nfiles = ["base.yaml"]\n' for i in range(plans)))

        empty, one = Run([FLOOR], folder, 60), Run([PROGRAM, "check", str(small)], folder, 60)
        in_turns(empty, one)
        report.row("an empty process with the same libraries", empty)
        report.row("one small file, start to exit", one, empty, "empty", "2.5")

        floor, single, double = Run([FLOOR, *files], many), Run([PROGRAM, "check", "--jobs", "1"], many), Run([PROGRAM, "check", "--jobs", "2"], many)
        in_turns(floor, single, double)
        report.row(f"libyaml and toml++ on {len(files)} files", floor)
        report.row(f"{len(files)} files, one thread", single, floor, "the libraries' parse", "2")
        report.add(f"{len(files)} files, two threads", double.wall * 1e3, double.cpu * 1e3, double.peak, single.wall / double.wall, "faster", "1.7")
        report.add("  memory of it", None, None, single.peak, single.peak / 24, "24 MiB", "1")
        peers(many, files, report, single)

        last = None
        for lines in (100, 1_000, 10_000, 100_000) + (() if asked.quick else (1_000_000,)):
            path = growing(folder, lines)
            run = Run([PROGRAM, "check", "--jobs", "1", str(path)], folder, 3)
            in_turns(run)
            per = run.cpu / lines
            report.add(f"one file of {lines:,} lines", run.wall * 1e3, run.cpu * 1e3, run.peak, per / last if last else None, "a line of the one before")
            last = per

        thousand = Run([PROGRAM, "check", "--jobs", "1"], runs, 3)
        in_turns(thousand)
        report.add(f"{plans:,} runs of one file", thousand.wall * 1e3, thousand.cpu * 1e3, thousand.peak)

    report.print()
    stages = {"benchmarks": []}
    if pathlib.Path(STAGES).exists():
        stages = json.loads(subprocess.run([STAGES, "--benchmark_format=json"], check=True, capture_output=True).stdout)
        print("\nstages of one file from memory, microseconds")
    for bench in stages["benchmarks"]:
        print(f"  {bench['name']:44} {bench['real_time']:9.1f} {bench['time_unit']}" +
              "".join(f"  {k} {v:.2f}" for k, v in bench.items() if isinstance(v, float) and k.startswith(("parse", "compose", "map", "law", "render", "times", "files_per"))))
    pathlib.Path(asked.output).write_text(json.dumps({"rows": report.rows, "stages": stages["benchmarks"]}, indent=1) + "\n")


if __name__ == "__main__":
    main()
