#!/bin/sh
# Commands in strings, in here-documents, in substitutions.
A=3
CMD="python train.py --a $A"
CMD="$CMD --b $((A + 1))"
eval "$CMD --c '$A $A'"
srun bash -c "python inner.py --a $A --b \$HOME"
cat > job.sbatch <<EOF
#!/bin/bash
#SBATCH --nodes=$A
run inside $A \$A
EOF
sbatch job.sbatch
sbatch <<'EOF'
run $A
EOF
cat - <<'EOF' | run reads
print("it's $A")
EOF
X=$(cat <<EOF
it's ($A
EOF
)
run "$X"
( cd sub 2>/dev/null || true; run sub $A )
run $(printf '%s ' a b c) `echo $A`
