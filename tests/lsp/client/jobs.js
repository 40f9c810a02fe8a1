// Small jobs for the tests: what a team's folder holds. The characters before an edit take one to four bytes.
'use strict';

const fs = require('node:fs');
const path = require('node:path');

// 5,120 GPUs, and a batch that 80 replicas cannot share. The edit lies behind two emojis on its line.
const titan = fs.readFileSync(path.join(__dirname, '../run.toml'), 'utf8');
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
