#!/bin/bash
# A pretraining script of the usual shape: arrays, defaults, derived numbers.
#SBATCH --nodes=4
set -euo pipefail
export CUDA_DEVICE_MAX_CONNECTIONS=1
GPUS_PER_NODE=${GPUS_PER_NODE:-8}
NNODES=${NNODES:-4}
WORLD_SIZE=$(($GPUS_PER_NODE*$NNODES))
TP=4 PP=2
CP=1
DP=$((WORLD_SIZE / (TP * PP * CP)))
MICRO=2
GLOBAL=$((MICRO * DP * 16))
DISTRIBUTED=(--nproc_per_node "$GPUS_PER_NODE" --nnodes $NNODES
  --rdzv_backend c10d   # elastic
  --rdzv_endpoint "${HEAD_NODE:-localhost}:29500")
MODEL=(
    --num-layers 32
    --hidden-size 4096
    --moe-layer-freq [0]*3+[1]*29
)
PARALLEL="--tensor-model-parallel-size $TP \
          --pipeline-model-parallel-size ${PP}"
if [[ $TP -gt 1 ]]; then
  PARALLEL+=" --sequence-parallel"
fi
((CP > 1)) && PARALLEL+=" --context-parallel-size $CP"
torchrun "${DISTRIBUTED[@]}" pretrain.py ${MODEL[@]} $PARALLEL \
  --micro-batch-size $MICRO --global-batch-size "$GLOBAL" \
  --save "runs/tp${TP}-pp${PP}"
