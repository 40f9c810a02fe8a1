#!/usr/bin/env python3
"""run_action.py FOLDER [INPUT=VALUE...]: the steps of FOLDER/action.yml in order, as a runner takes them: inputs and their defaults filled in,
outputs of one step handed to the next, each shell step under `bash -e`. What another action would do is said and left out. Stops at the
first step that fails, with its exit code; else prints the action's outputs."""
import os, re, subprocess, sys, tempfile, yaml

folder = os.path.abspath(sys.argv[1])
action = yaml.safe_load(open(os.path.join(folder, "action.yml")))
given = dict(word.split("=", 1) for word in sys.argv[2:])
unknown = set(given) - set(action["inputs"])
if unknown: sys.exit(f"no input {', '.join(unknown)}")
values = {f"inputs.{name}": given.get(name, str(about.get("default", ""))) for name, about in action["inputs"].items()}
values |= {"runner.os": "Linux", "runner.arch": "X64"}


def filled(text):
    def value(match):
        name = match[1].strip()
        if name not in values: sys.exit(f"nothing known of {name}")
        return values[name]
    return re.sub(r"\$\{\{(.*?)\}\}", value, str(text))


for step in action["runs"]["steps"]:
    if "uses" in step:
        print(f"[left out: {step['uses']}, with {', '.join(f'{k} {filled(v)}' for k, v in step.get('with', {}).items())}]", flush=True)
        continue
    with tempfile.NamedTemporaryFile("r") as outputs:
        environment = os.environ | {k: filled(v) for k, v in step.get("env", {}).items()}
        environment |= {"GITHUB_ACTION_PATH": folder, "GITHUB_WORKSPACE": os.getcwd(), "GITHUB_OUTPUT": outputs.name}
        ran = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", filled(step["run"])], env=environment)
        for line in outputs:
            name, value = line.rstrip("\n").split("=", 1)
            values[f"steps.{step['id']}.outputs.{name}"] = value
    if ran.returncode: sys.exit(ran.returncode)
for name, about in action.get("outputs", {}).items():
    print(f"[output {name}: {filled(about['value'])}]")
