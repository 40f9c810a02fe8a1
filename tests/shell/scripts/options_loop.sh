#!/usr/bin/env bash
# Arguments are read by a loop, with functions and a usage text that needs none of them.
TP=8
EXTRA=()
usage() {
  cat <<EOF
usage: $0 [--tp N] [-- ARGUMENT...]
it's a here-document with a quote
EOF
  exit 1
}
die() { echo "$*" >&2; exit 2; }
while [[ $# -gt 0 ]]; do
  case "$1" in
    --tp) TP="$2"; shift 2 ;;
    --help|-h) usage ;;
    --) shift; EXTRA=("$@"); break ;;
    *) die "what is $1?" ;;
  esac
done
[ "$TP" -le 8 ] || die "too many"
launch() {
  local name=$1 nodes=${2:-1}; shift 2
  local -a words=(--nnodes "$nodes" --name="$name")
  run "${words[@]}" "$@"
}
launch small 1 --tp "$TP" "${EXTRA[@]}"
launch large $((TP * 2)) --tp $TP
for size in 8b 70b; do
  case $size in
    8b) LAYERS=32 ;;
    70b) LAYERS=80 ;;
  esac
  launch "$size" 2 --num-layers $LAYERS
done
