"""All mutants of many sources in one program: each source is compiled once, with a switch at every place that could be otherwise (switch.h),
and the variable SHARDLINT_MUTANT says at start which of them is thrown. So a mutant costs a run of the tests, and no build.

Where a constant must be known to the compiler (an array's size, a template's argument) there is no switch: the compiler says so, the line
stays as it is, and its mutants are objects of their own (run.py)."""

import pathlib
import re
import shlex
import subprocess

SWITCH = "tests/mutate/switch.h"
HEADERS = [SWITCH, "checker/plan/memory.h", "checker/plan/network.h", "checker/plan/rule.h"]  # of those who read plans

# What stands on the left becomes one of those on the right. Blanks around an operator keep templates, arrows and includes out.
OPERATORS = {" <= ": ("LessEqual", [" < ", " > "]), " >= ": ("GreaterEqual", [" > ", " < "]), " < ": ("Less", [" <= ", " >= "]),
             " > ": ("Greater", [" >= ", " <= "]), " == ": ("Equal", [" != "]), " != ": ("NotEqual", [" == "]), " + ": ("Plus", [" - "]),
             " - ": ("Minus", [" + "]), " * ": ("Times", [" + "]), " / ": ("Over", [" * "]), " % ": ("Modulo", [" / "]),
             " && ": ("both", [" || "]), " || ": ("either", [" && "])}
OPERATOR = re.compile("|".join(re.escape(symbol) for symbol in OPERATORS))
# Not 100'000: what is written so is where the program gives up.
NUMBER = re.compile(r"(?<![\w.'])\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.'])")
SILENT = re.compile(r"//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|(?<![0-9a-fA-F])'(?:\\.|[^'\\\n])+'")
TOKEN = re.compile(r"\breturn\b|&&|\|\||::|[=!<>]=|[][(){},;?:=]")
INFO = re.compile(r"^constexpr RuleInfo kInfo\{.*?\};\n", re.S | re.M)


def blanked(text):
    """The text with what is no code as blanks."""
    return SILENT.sub(lambda match: " " * len(match.group()), text)


def other_number(text):
    if text.isdigit():
        return str(int(text) + 1)
    return repr(2 * float(text) or 1.0)


class Place:
    """A piece of a source that could be otherwise: mutant `number` is its first."""

    def __init__(self, begin, old, news, number):
        self.begin, self.end, self.old, self.news, self.number = begin, begin + len(old), old, news, number


class Mutated:
    """A source and its places."""

    def __init__(self, path, first):
        self.path, self.text = path, path.read_text()
        self.code = blanked(self.text)
        self.tokens = list(TOKEN.finditer(self.code))
        self.places = []
        self.alone = set()   # lines that have no switch
        self.fixed = set()   # lines whose constants stay
        info = INFO.search(self.text)
        spared = set(range(self.line_of(info.start()), self.line_of(info.end()))) if info else set()
        number = first
        at = 0
        for index, line in enumerate(self.code.split("\n")):
            if not (line.lstrip().startswith("#") or "static_assert" in line or index in spared):
                found = [(match.start(), match.group(), OPERATORS[match.group()][1]) for match in OPERATOR.finditer(line)]
                found += [(match.start(), match.group(), [other_number(match.group())]) for match in NUMBER.finditer(line)]
                for begin, old, news in sorted(found):
                    self.places.append(Place(at + begin, old, news, number))
                    number += len(news)
            at += len(line) + 1
        if number - first >= 1000:
            raise SystemExit(f"mutate: {path} has more than a thousand mutants")

    def line_of(self, at):
        return self.text.count("\n", 0, at)

    def line(self, place):
        return self.text.split("\n")[self.line_of(place.begin)]

    def with_one(self, place, new):
        return self.text[:place.begin] + new + self.text[place.end:]

    def operand(self, place, step):
        """Where what stands left (-1) or right (1) of && or || ends."""
        opens, closes = ("([{", ")]}") if step > 0 else (")]}", "([{")
        weaker = {",", ";", "?", ":", "=", "return", "||"} | ({"&&"} if step > 0 and place.old == " && " else set())
        if step < 0 and place.old == " || ":
            weaker.remove("||")
        depth = 0
        tokens = [token for token in self.tokens if (token.start() >= place.end if step > 0 else token.end() <= place.begin)]
        for token in tokens[::step]:
            said = token.group()
            if said in opens:
                depth += 1
            elif not depth and (said in closes or said in weaker):
                return token.end() if step < 0 else token.start() - (said in ("&&", "||"))
            elif said in closes:
                depth -= 1
        raise SystemExit(f"mutate: {self.path} has no end")

    def source(self):
        pieces = []  # (position, closing first, order, text, to skip)
        lines = self.code.split("\n")
        for place in self.places:
            line = self.line_of(place.begin)
            if line in self.alone:
                continue
            name = OPERATORS.get(place.old, ("number",))[0]
            if name == "number":
                if line not in self.fixed:
                    pieces.append((place.begin, 1, 0, f"mutate::number<{place.number}>({place.old})", len(place.old)))
            elif name in ("both", "either"):
                left, right = self.operand(place, -1), self.operand(place, 1)
                pieces += [(left, 1, -right, f" mutate::{name}<{place.number}>([&] {{ return bool(", 0),
                           (place.begin, 2, 0, "); }, [&] { return bool(", len(place.old)), (right, 0, -place.begin, "); })", 0)]
            else:
                pieces.append((place.begin, 1, 0, f"{place.old}mutate::{name}<{place.number}>{{}}{place.old}", len(place.old)))
        for match in re.finditer(r"\bconstexpr\b(?! Rule)", self.code):
            line = self.line_of(match.start())
            if "if constexpr" not in lines[line] and line not in self.alone and line not in self.fixed:
                pieces.append((match.start(), 1, 0, "const", len("constexpr")))
        out, at = [], 0
        for begin, _, _, text, skipped in sorted(pieces):
            out += [self.text[at:begin], text]
            at = begin + skipped
        return "".join(out) + self.text[at:]


class Compiler:
    """As the build compiles."""

    def __init__(self, root, build, folder):
        self.root, self.build, self.folder, self.headers = root, build, folder, folder / "headers.h"
        folder.mkdir(parents=True, exist_ok=True)

    def command(self, path, source, out):
        built = f"CMakeFiles/shardlint_checker.dir/{path.relative_to(self.root)}.o"
        command = subprocess.run(["ninja", "-C", self.build, "-t", "commands", "-s", built], check=True, capture_output=True, text=True).stdout
        command = re.sub(r" -MD -MT \S+ -MF \S+", "", re.sub(r"^\S*ccache ", "", command.strip()))
        command = command.replace("-fdiagnostics-color=always", "").replace("-DNDEBUG", "")
        return command.replace(f" -o {built}", f" -o {out}").replace(f" -c {path}", f" -w -Wno-narrowing -O1 -c {source}")

    def compiled(self, path, name, text, more=""):
        """What the compiler says; empty: `name`.o is made."""
        source, made, headers = (self.folder / file for file in (f"{name}.cc", f"{name}.o", f"{self.headers.name}.gch"))
        if source.exists() and source.read_text() == text and made.exists() and made.stat().st_mtime > headers.stat().st_mtime:
            return ""
        source.write_text(text)
        made.unlink(missing_ok=True)
        return subprocess.run(self.command(path, source, made) + more, shell=True, cwd=self.build, stderr=subprocess.PIPE, text=True).stderr

    def read_headers(self, path):
        """Most of a source's time is that of its headers: they are read once, with the switch before them."""
        made = pathlib.Path(f"{self.headers}.gch")
        newest = max(header.stat().st_mtime for folder in ("checker", "tests/mutate") for header in (self.root / folder).rglob("*.h"))
        if made.exists() and made.stat().st_mtime > newest:
            return
        self.headers.write_text("".join(f'#include "{header}"\n' for header in HEADERS))
        command = self.command(path, self.headers, made).replace(f" -c {self.headers}", f" -x c++-header {self.headers}")
        subprocess.run(command, shell=True, cwd=self.build, check=True)

    def with_switches(self, mutated):
        """The object of all mutants of a source that can be switched."""
        name = "-".join(mutated.path.relative_to(self.root).with_suffix("").parts)
        headers = self.root / SWITCH if "fix" in mutated.path.parts else self.headers
        while True:
            said = self.compiled(mutated.path, name, mutated.source(), f" -include {headers}")
            if not said:
                return self.folder / f"{name}.o"
            failed = {int(line) - 1 for line in re.findall(rf"^\S*\b{name}\.cc:(\d+):\d+: (?:error|note)", said, re.M)}
            fresh = failed - mutated.fixed
            if fresh:
                mutated.fixed |= fresh
            elif failed - mutated.alone:
                mutated.alone |= failed
            else:
                raise SystemExit(f"mutate: {mutated.path} does not compile:\n{said[:3000]}")

    def program(self, objects, name):
        out = self.folder / name
        command = subprocess.run(["ninja", "-C", self.build, "-t", "commands", "-s", "shardlint_tests"], check=True, capture_output=True,
                                 text=True).stdout.strip().split("\n")[-1]
        # Ours before the library that has the same: the linker takes what it meets first.
        command = command.replace(" -o shardlint_tests ", f" {shlex.join(map(str, objects))} -o {out} ")
        subprocess.run(command, shell=True, cwd=self.build, check=True)
        return out
