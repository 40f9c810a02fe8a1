A= B=
if [ "$A$B" = "" ]; then run empty; fi
! false | true
cat <<EOF

run not a command
EOF
run a; run b& wait
{ run c; run d; } 2>&1
run e \
  # a comment ends the command
run f && ! false && run g || run h
case "x y" in
  "x z"|'x '*) run i ;;
esac
if true; then run j
elif true; then run k; fi
for x in 1 \
         2; do run $x
done
function named { run "$FUNCNAME" "$1"; }; named q
while :; do run once; break; done
until [ 1 = 1 ]; do run never; done
run {a,b}{1..2} "{a,b}" \{a,b\}
run "a"'b'$'c'd
x=1; x=2 run $x; run $x
run ${x:+"$x y"} "${x:+$x y}" ${z:-"p q"} ${z:-p q}
set -- one "two three"; run "$@" "$*" $2 "${@:2}" "${1}s"
run "${#x}" $(( x ? 10 : 20 )) $((16#ff)) $((-x))
arr=(one [3]=four five); run "${arr[@]}" ${#arr[@]} "${!arr[@]}"
run <<EOF >/dev/null
body
EOF
if [[ -n $x && ! ( $x == 3 || $x == 4 ) ]]; then run l; fi
[ "$x" = 2 ] && { run m; run n; } || run o
run end # the end
