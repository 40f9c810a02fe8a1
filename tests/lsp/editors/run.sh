#!/usr/bin/env bash
# run.sh EDITOR SHARDLINT ROOT: drives a real editor over a small job and looks at the file that it has saved. 77: there is no such editor.
set -euo pipefail
editor=$1
export SHARDLINT=$2
root=$3
case $editor in
  neovim) program=nvim ;;
  emacs) program=emacs ;;
esac
if ! command -v "$program" >/dev/null; then
  echo "skipped: $program is not installed, and could not be"
  exit 77
fi
FOLDER=$(mktemp -d)
export FOLDER PLUGIN=$root/integrations/editors/$editor XDG_CACHE_HOME=$FOLDER/.cache XDG_STATE_HOME=$FOLDER/.state HOME=$FOLDER
trap 'rm -rf "$FOLDER"' EXIT
cp "$root/tests/lsp/run.toml" "$FOLDER/"
printf '[cluster]\nnodes = 640\ngpus_per_node = 8\n' >"$FOLDER/shardlint.toml"
sed 's/2500/2560/' "$FOLDER/run.toml" >"$FOLDER/expected"
status=0
case $editor in
  neovim) timeout 60 nvim --headless --clean -S "$root/tests/lsp/editors/neovim.lua" || status=$? ;;
  emacs) timeout 60 emacs -Q --batch -l "$root/tests/lsp/editors/eglot.el" || status=$? ;;
esac
if ((status == 77)); then
  echo "skipped: Eglot is not installed, and could not be"
  exit 77
fi
((status == 0)) || exit "$status"
if ! cmp "$FOLDER/run.toml" "$FOLDER/expected"; then
  cat "$FOLDER/run.toml"
  exit 1
fi
echo "$editor: saw the finding, applied the fix, saved"
