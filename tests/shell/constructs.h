// Every construct that the shell reader follows: a script, and the commands that it would run, as dump() writes them. `run` stands for any
// program. The differential test runs the same scripts through bash, so what is written here is also what bash does.
#pragma once

#include <vector>

namespace shardlint::shell {

struct Construct {
  const char* name;
  const char* script;
  const char* commands;
};

inline const std::vector<Construct>& constructs() {
  static const std::vector<Construct> all = {
      // ---- words and quotes
      {"Words", "run a 'b c' \"d e\" f\\ g ''", "run a 'b c' 'd e' 'f g' ''"},
      {"Continuation", "run \\\n  --a 1 \\\n  --b=2\nrun c", "run --a 1 --b=2\nrun c"},
      {"CommentsAndSeparators", "run a # b\n# run c\nrun d; run e#f", "run a\nrun d\nrun e#f"},
      {"AnsiQuotes", R"(run $'a\tb' $'\x41\'')", "run 'a\tb' 'A''"},
      {"QuotesInTheMiddle", R"(A=4; run --tp="$A" pre'fix'"$A"post)", "run --tp=4 prefix4post"},
      {"EscapesInDoubleQuotes", R"(run "\$A \"b\" \c \\")", R"(run '$A "b" \c \')"},
      {"BackslashWithABlankContinuesNothing", "run a \\ \nrun b",
       "run a ' '\nrun b\n# this backslash continues nothing: a blank stands behind it"},
      {"Braces", "run {1..4} a{b,c}d {x,y}{1,2} {03..05} {a} {}", "run 1 2 3 4 abd acd x1 x2 y1 y2 03 04 05 {a} {}"},
      {"BracketsThatAreNoFiles", "run [0]*3+[1]*58 --x [2]", "run [0]*3+[1]*58 --x [2]"},
      {"Redirections", "run a > /dev/null 2>&1 b", "run a b >/dev/null 2>&1"},

      // ---- variables
      {"Variables", "TP=8\nrun --tp $TP --pp=${TP}x \"$TP\"", "run --tp 8 --pp=8x 8"},
      {"SplittingAString", "A='--tp 8  --pp 2'\nrun $A \"$A\"", "run --tp 8 --pp 2 '--tp 8  --pp 2'"},
      {"AStringThatGrows", "A=\"--tp 8\"\nA=\"$A --pp 2\"\nA+=\" --cp 1\"\nrun $A", "run --tp 8 --pp 2 --cp 1"},
      {"AStringOverLines", "A=\"\n  --tp 8 \\\n  --pp 2\n\"\nrun $A", "run --tp 8 --pp 2"},
      {"ACommandInAString", "CMD=\"run --tp 8\"\n$CMD --pp 2", "run --tp 8 --pp 2"},
      {"EmptyWordsVanish", "E=\nrun $E a \"$E\" ${E}b", "run a '' b"},
      {"ReadAtThePointOfUse", "A=1\nrun $A\nA=2\nrun $A", "run 1\nrun 2"},
      {"NoSplittingInAssignments", "A='x y'\nB=$A\nrun \"$B\"", "run 'x y'"},
      {"Unset", "A=1\nunset A\nrun \"${A:-none}\"", "run none"},
      {"Defaults", "run ${A:-8} ${B-9} \"${C:-x y}\" ${D:+no}", "run 8 9 'x y'"},
      {"DefaultsThatStay", ": ${A:=8} \"${B:=node a}\"\nrun $A \"$B\"", "run 8 'node a'"},
      {"DefaultsInDefaults", "run ${A:-${B:-4}} ${A:-$((2*3))}", "run 4 6"},
      {"AlternativeValue", "A=1\nrun ${A:+--flag $A} ${A:+\"x y\"}", "run --flag 1 'x y'"},
      {"DefaultOfAnEmptyVariable", "A=\nrun ${A:-x} ${A-y}z", "run x z"},
      {"DefaultWithQuotesAndBraces", R"(run "${A:-{\"a\":1}}" "${B:-'q'}")", R"(run '{"a":1}' ''q'')"},
      {"Suffixes", "F=dir/model.v2.yaml\nrun ${F%.yaml} ${F%%.*} ${F#*/} ${F##*/} ${F%/*}",
       "run dir/model.v2 dir/model model.v2.yaml model.v2.yaml dir"},
      {"Replacing", "F=a-b-c\nrun ${F/-/_} ${F//-/_} ${F/#a/x} ${F/%c/z} ${F//-}", "run a_b-c a_b_c x-b-c a-b-z abc"},
      {"Slices", "F=abcdef\nrun ${F:2} ${F:1:3} ${F: -2} ${F:0:-1}", "run cdef bcd ef abcde"},
      {"Case", "F=aBc\nrun ${F^} ${F^^} ${F,,}", "run ABc ABC abc"},
      {"Length", "F=abc\nA=(x yy z)\nrun ${#F} ${#A[@]} ${#A[1]}", "run 3 3 2"},
      {"Indirection", "A=B\nB=7\nrun ${!A}", "run 7"},
      {"Declarations", "declare A=1 B='x y'\nreadonly C=3\nexport D=$A\nrun $A \"$B\" $C $D", "run 1 'x y' 3 1"},
      {"IntegerAttribute", "declare -i N=2*3\nN+=1\nrun $N", "run 7"},
      {"ASumThatAssignsToItsVariable", "declare -i N=1\nN=\"N=5\"\nrun $N\nN+=\"N=7\"\nrun $N", "run 5\nrun 12"},
      {"AnIndexThatAssignsToItsArray", "A=(1 2 3)\nrun ${A[A=1]}\nB=(4 5)\nrun ${B[(B=3)-3]} ${B[1]}", "run 2\nrun 3 5"},
      {"AKeyThatAssignsToItsTable", "declare -A M=([k]=v [3]=w)\nrun ${M[${M:=3}]}", "run w"},
      {"ElementsBehindAWord", "A=word\nA+=(more)\nB=x\nB+=([3]=y)\nrun ${A[@]} ${B[@]}", "run word more x y"},
      {"PrefixAssignments", "A=1\nA=2 run $A", "A=2 run 1"},
      {"TildeInWords", "HOME=/h\nrun ~/x a~b --y=~/z", "run /h/x a~b --y=~/z"},

      // ---- arrays
      {"Arrays", "A=(--tp 8 'x y' # eight\n  --pp 2)\nrun \"${A[@]}\" ${A[2]} \"${A[*]}\"",
       "run --tp 8 'x y' --pp 2 x y '--tp 8 x y --pp 2'"},
      {"AppendingToArrays", "A=(1)\nA+=(2 3)\nA+=\"x\"\nrun \"${A[@]}\"", "run 1x 2 3"},
      {"ArraysInArrays", "A=(1 2)\nB=(0 \"${A[@]}\" 3)\nrun ${B[@]} ${B[-1]}", "run 0 1 2 3 3"},
      {"ArrayElements", "A=(a b c)\nA[1]=x\ni=2\nrun ${A[i]} ${A[$i-1]} $A", "run c x a"},
      {"ArraySlices", "A=(a b c d)\nrun ${A[@]:1:2} ${A[@]: -1}", "run b c d"},
      {"EmptyArrays", "A=()\nrun \"${A[@]}\" x${A[@]}y", "run xy"},
      {"QuotedElementsStayOne", "A=(\"--fp8 hybrid\")\nrun \"${A[@]}\"", "run '--fp8 hybrid'"},
      {"ElementsWithPrefixes", "A=(1 2)\nrun \"${A[@]/#/x=}\"", "run x=1 x=2"},
      {"Dictionaries", "declare -A M=([a]=1 [b]='2 3')\nM[c]=4\nk=b\nrun ${M[a]} \"${M[$k]}\" ${M[c]} ${#M[@]}", "run 1 '2 3' 4 3"},
      {"ArrayWithBracketsInside", "A=(--freq [0]*3+[1]*58 --x 1)\nrun \"${A[@]}\"", "run --freq [0]*3+[1]*58 --x 1"},

      // ---- arithmetic
      {"Arithmetic", "A=3\nrun $((A * 8)) $(( $A + 1 )) $((7 / 2)) $((7 % 4)) $((2 ** 5)) $((-7 / 2))", "run 24 4 3 3 32 -3"},
      {"ArithmeticPrecedence", "run $((1 + 2 * 3)) $(((1 + 2) * 3)) $((10 - 2 - 3)) $((1 << 4 | 1)) $((0x10 + 010))", "run 7 9 5 17 24"},
      {"ArithmeticComparisons", "A=4\nrun $((A > 3)) $((A == 4 && A < 3)) $((A < 2 ? 10 : 20)) $((!A))", "run 1 0 20 0"},
      {"ArithmeticAssignments", "((A = 3, B = A + 1))\n((A++))\nlet B+=2\nrun $A $B $((A += 5)) $A", "run 4 6 9 9"},
      {"ArithmeticSideEffectsOnlyWhereTaken", "A=1\nrun $((1 || (A = 5))) $A", "run 1 1"},
      {"ArithmeticOverLines", "run $((\n  2 * \\\n  3\n))", "run 6"},
      {"ArithmeticOnArrays", "A=(4 8)\nrun $((A[1] * ${A[0]}))", "run 32"},
      {"OldArithmetic", "run $[2 + 3] `echo $((1+1))`", "run 5 2"},

      // ---- deciding
      {"If", "A=8\nif [ \"$A\" -gt 4 ]; then run big; elif [ $A = 4 ]; then run four; else run small; fi", "run big"},
      {"Elif", "A=4\nif [ \"$A\" -gt 4 ]; then run big; elif [ $A = 4 ]; then run four; else run small; fi", "run four"},
      {"Else", "A=1\nif [[ $A -gt 4 ]]; then run big; elif ((A == 4)); then run four; else run small; fi", "run small"},
      {"TestsOfStrings",
       "A=x\nE=\n[ -z \"$E\" ] && run a\n[ -n \"$A\" ] && run b\n[[ -z $A ]] || run c\n[ \"$A\" != y ] && run d\n[ \"$A\" ] && run e",
       "run a\nrun b\nrun c\nrun d\nrun e"},
      {"TestsOfNumbers",
       "A=4\n[ $A -eq 4 -a $A -lt 5 ] && run a\n[[ $A -ge 4 && ($A -le 3 || $A -ne 3) ]] && run b\n[ ! $A -eq 4 ] || run c",
       "run a\nrun b\nrun c"},
      {"Patterns",
       "A=llama3-8b\n[[ $A == llama* ]] && run a\n[[ $A == *\"3-8\"? ]] && run b\n[[ $A == \"llama*\" ]] || run c\n[[ $A != [a-k]* ]] && "
       "run d",
       "run a\nrun b\nrun c\nrun d"},
      {"Case", "S=70b\ncase \"$S\" in\n  8b) run small ;;\n  70b|72b)\n    run big\n    ;;\n  *) run other ;;\nesac", "run big"},
      {"CaseFallsThrough", "case a in a) run 1 ;& b) run 2 ;; c) run 3 ;; esac\ncase x in (x) run 4 ;;& x*) run 5 ;; esac",
       "run 1\nrun 2\nrun 4\nrun 5"},
      {"CaseWithoutAnArm", "case q in a) run 1 ;; esac\nrun end", "run end"},
      {"AndOr", "true && run a\nfalse && run b\nfalse || run c\ntrue || run d\n! true || run e", "run a\nrun c\nrun e"},
      {"ExitEnds", "if [ 1 = 1 ]; then run a; exit 0; fi\nrun b", "run a"},
      {"EmptyByDefault", "if [ -z \"$NODES\" ]; then NODES=2; fi\nrun $NODES", "run 2"},
      {"SetOutsideOrNot", "[ -n \"$CKPT\" ] && A=(--load \"$CKPT\")\nrun x \"${A[@]}\"", "run x"},

      // ---- repeating
      {"For", "for i in 1 2; do for j in a b; do run $i$j; done; done",
       "i=1: j=a: run 1a\ni=1: j=b: run 1b\ni=2: j=a: run 2a\ni=2: j=b: run 2b"},
      {"ForOverAnArray", "A=('x y' z)\nfor i in \"${A[@]}\"; do run \"$i\"; done", "i=x y: run 'x y'\ni=z: run z"},
      {"ForOverAString", "L='1 2'\nfor i in $L; do run $i; done", "i=1: run 1\ni=2: run 2"},
      {"BreakAndContinue", "for i in 1 2 3 4; do [ $i = 2 ] && continue; [ $i = 4 ] && break; run $i; done\nrun end",
       "i=1: run 1\ni=3: run 3\nrun end"},
      {"Counting", "for ((i = 0; i < 3; i++)); do run $i; done", "i=0: run 0\ni=1: run 1\ni=2: run 2"},
      {"While", "i=0\nwhile [ $i -lt 2 ]; do run $i; i=$((i + 1)); done\nuntil ((i == 0)); do ((i--)); done\nrun $i",
       "run 0\nrun 1\nrun 0"},
      {"ALoopFillsAnArray", "for i in 1 2; do A+=(--x$i); done\nrun \"${A[@]}\"", "run --x1 --x2"},
      {"Sequences", "for i in $(seq 2 3); do run $i; done", "i=2: run 2\ni=3: run 3"},

      // ---- functions and arguments
      {"Functions", "f() { run \"$1\" $# \"${2:-none}\"; }\nfunction g { f \"$@\" x; }\nf a\ng 'b c'", "run a 1 none\nrun 'b c' 2 x"},
      {"Locals", "A=1\nf() { local A=2 B; B=3; C=4; run $A; }\nf\nrun $A \"${B:-unset}\" $C", "run 2\nrun 1 unset 4"},
      {"ReturnEndsAFunction", "f() { run a; return 1; run b; }\nf || run c", "run a\nrun c"},
      {"SetArguments", "set -- a 'b c' d\nrun $# \"$2\" \"$@\"\nshift 2\nrun \"$@\"", "run 3 'b c' a 'b c' d\nrun d"},
      {"OptionLoops",
       "f() { while [[ $# -gt 0 ]]; do case $1 in --tp) TP=$2; shift 2 ;; --flag) F=1; shift ;; *) shift ;; esac; done; run $TP $F; }\nf "
       "--tp 8 --flag x",
       "run 8 1"},
      {"NoArgumentsByDefault", "TP=${1:-8}\nif [ $# -gt 0 ]; then TP=16; fi\nfor a in \"$@\"; do TP=32; done\nrun $TP", "run 8"},
      {"UsageMessages", "if [ -z \"$TP\" ]; then TP=8; fi\n[ $# -gt 5 ] && { run usage; exit 1; }\nrun $TP", "run 8"},

      // ---- substitutions, here-documents, nested scripts
      {"KnownOutput", "A=$(echo a b)\nB=`printf '%s-%d' x 3`\nrun \"$A\" $B $(basename /x/y.sh .sh) $(dirname a/b/c)",
       "run 'a b' x-3 y a/b"},
      {"OutputOfCat", "A=$(cat <<X\na $((1+1))\nb\nX\n)\nrun \"$A\"", "run 'a 2\nb'"},
      {"Eval", "A=\"run --tp 8\"\neval \"$A --pp '2 3'\"", "run --tp 8 --pp '2 3'"},
      {"Subshells", "A=1\n(A=2; run $A)\nrun $A\n{ A=3; run $A; }\nrun $A", "run 2\nrun 1\nrun 3\nrun 3"},
      {"HereStrings", "run a <<< \"x $((1 + 1))\"", "run a <<<'x 2\n'"},
      {"HereDocuments", "A=1\nrun x <<EOF > /dev/null\n$A \\$A \"q\"\nEOF\nrun y <<'EOF'\n$A\nEOF\nrun z",
       "run x <<'1 $A \"q\"\n' >/dev/null\nrun y <<'$A\n'\nrun z"},
      {"HereDocumentWithTabs", "run x <<-EOF\n\t\ta\n\tEOF\nrun y", "run x <<-'a\n'\nrun y"},
      {"HereDocumentInAChain", "run x <<EOF && run y\nbody\nEOF\nrun z", "run x <<'body\n'\nrun y\nrun z"},
      {"Pipelines", "echo a | run b\nrun c", "echo a\nrun b |'a\n'\nrun c"},
      {"Exec", "exec run a\nrun b", "exec run a"},
      {"Options", "set -euo pipefail\nset +x\ntrap 'echo x' EXIT\nrun a", "run a"},
      {"ArgumentsOfPrintfV", "printf -v A '%s' x\nrun $A", "run x"},
      {"ExportedArguments", "export \"A=1 2\"\nrun \"$A\"", "run '1 2'"},
      {"IfsForOneRead", "IFS=, read -r A B <<< 'x,y'\nC='p q'\nrun $C", "run p q"},
  };
  return all;
}

}  // namespace shardlint::shell
