#!/usr/bin/env bash
# run.sh WHAT SHARDLINT ROOT: the tests that node runs: transcripts, soak, or the VS Code extension. 77: node or the packages are not there.
set -euo pipefail
what=$1
export SHARDLINT=$2 SHARDLINT_ROOT=$3
modules=$SHARDLINT_ROOT/build/node
if ! command -v node >/dev/null; then
  echo "skipped: node is not installed, and could not be"
  exit 77
fi
case $what in
  vscode)
    export EXTENSION=$modules/vscode
    if [[ ! -e $EXTENSION/node_modules/vscode-languageclient ]]; then
      echo "skipped: the packages of the extension could not be fetched from npm"
      exit 77
    fi
    # The extension as it is now, beside the packages that were fetched for it.
    cp -r "$SHARDLINT_ROOT/integrations/editors/vscode/." "$EXTENSION"
    (cd "$EXTENSION" && npx --no-install tsc -p .)
    exec node --test "$SHARDLINT_ROOT/tests/lsp/vscode/extension.test.js"
    ;;
  *)
    export NODE_PATH=$modules/client/node_modules
    if [[ ! -e $NODE_PATH/vscode-languageserver-protocol ]]; then
      echo "skipped: the client's packages could not be fetched from npm"
      exit 77
    fi
    exec node --test "$SHARDLINT_ROOT/tests/lsp/client/$what.test.js"
    ;;
esac
