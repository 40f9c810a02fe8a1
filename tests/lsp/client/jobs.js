// Small jobs for the tests: what a team's folder holds. The characters before an edit take one to four bytes.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

// 5,120 GPUs, and a batch that 80 replicas cannot share. The edit lies behind two emojis on its line.
const titan = `# größe: 日本語 🚀
training = {dataset = "c4", dataset_path = "/data/🚀_ü_🚀", local_batch_size = 32, global_batch_size = 2500, seq_len = 4096, steps = 1000}

[model]
name = "llama3"
flavor = "70B"

[parallelism]
tensor_parallel_degree = 8
pipeline_parallel_degree = 8
data_parallel_shard_degree = -1
pipeline_parallel_microbatch_size = 1
`;
const cluster = '[cluster]\nnodes = 640\ngpus_per_node = 8\ngpu = "H100"\n';

// A NeMo-RL parent of 32 nodes and a child of it that has two, which are too few.
const project = path.join(process.env.SHARDLINT_ROOT, 'fixtures/projects/nemo-rl-small-child');
const parent = '# 親 größe 🚀\n' + fs.readFileSync(path.join(project, 'base.yaml'), 'utf8');
const child = fs.readFileSync(path.join(project, 'two_nodes.yaml'), 'utf8');

// A script that starts it.
const script = `#!/bin/bash
#SBATCH --job-name=größe_🚀
#SBATCH --nodes=2
#SBATCH --gpus-per-node=8
srun torchrun --nnodes 2 --rdzv-backend c10d --rdzv-endpoint head:29500 --nproc-per-node 8 train.py --job.config_file run.toml
`;

module.exports = {titan, cluster, parent, child, script};
