# What is not known from outside goes both ways; what both ways leave equal is known.
ARGS=(--a 1)
if [ -d /no/such/folder ]; then
  ARGS+=(--load /no/such/folder)
  MODE=resume
  SAME=1
else
  MODE=fresh
  SAME=1
fi
run "${ARGS[@]}" --mode $MODE --same $SAME
N=$(nproc)
run --jobs "$N" $((N * 0)) x$N
FLAGS="--x 1"
[ -f /no/such/file ] && FLAGS="$FLAGS --y 2"
run $FLAGS end
case $(hostname) in
  never-*) P=1 ;;
  *) P=2 ;;
esac
run $P
for f in /no/such/*.yaml; do LAST=$f; COUNT=$((COUNT + 1)); done
run "$LAST" $COUNT
while read -r line; do SEEN="$SEEN $line"; done < /dev/null
run a $SEEN b
true; if grep -q root /etc/no-such-file; then run found; fi
test -e /no/such || run missing
