#!/usr/bin/env bash
# A Slurm cluster of four 8-GPU servers on this host, for tests: real daemons, GPUs that are /dev/null under other names. As root.
#   slurm_cluster.sh start FOLDER    FOLDER/slurm.conf is written; cli_filter.lua and job_submit.lua are expected beside it
#   slurm_cluster.sh stop FOLDER
set -euo pipefail
verb=$1 folder=$(mkdir -p "$2" && cd "$2" && pwd)
export SLURM_CONF=$folder/slurm.conf

stop() {
  local pid
  for pid in "$folder"/run/*.pid; do
    if [[ -e $pid ]]; then kill -9 "$(<"$pid")" 2>/dev/null || true; fi
  done
}

start() {
  mkdir -p "$folder"/{run,state,spool,log,dev}
  chmod 755 "$folder"
  local host port gpu n
  host=$(hostname -s)
  # A range that nobody listens on: six ports.
  for ((port = 21000 + $$ % 2000 * 8; port < 60000; port += 8)); do
    for ((n = 0; n < 6; ++n)); do (exec 3<>"/dev/tcp/127.0.0.1/$((port + n))") 2>/dev/null && continue 2; done
    break
  done
  for ((gpu = 0; gpu < 8; ++gpu)); do [[ -e $folder/dev/gpu$gpu ]] || mknod "$folder/dev/gpu$gpu" c 1 3; done
  dd if=/dev/urandom of="$folder/run/munge.key" bs=128 count=1 status=none
  chmod 600 "$folder/run/munge.key"
  cat >"$SLURM_CONF" <<CONF
ClusterName=shardlint-test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$folder/run/munge.sock
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SwitchType=switch/none
GresTypes=gpu
SlurmdTimeout=0
ReturnToService=2
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/slurmctld.pid
SlurmdPidFile=$folder/run/slurmd-%n.pid
SlurmctldLogFile=$folder/log/slurmctld.log
SlurmdLogFile=$folder/log/slurmd-%n.log
CliFilterPlugins=cli_filter/lua
JobSubmitPlugins=lua
NodeName=n[1-4] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + 4))] CPUs=2 RealMemory=500 Gres=gpu:8
PartitionName=h100 Nodes=n[1-4] Default=YES MaxTime=10 State=UP
CONF
  echo "NodeName=n[1-4] Name=gpu File=$folder/dev/gpu[0-7]" >"$folder/gres.conf"
  munged --force --socket="$folder/run/munge.sock" --key-file="$folder/run/munge.key" --pid-file="$folder/run/munged.pid" \
    --seed-file="$folder/run/munge.seed" --log-file="$folder/log/munged.log"
  slurmctld -c -i
  for n in n1 n2 n3 n4; do slurmd -N "$n"; done
  local tries
  for ((tries = 0; tries < 300; ++tries)); do
    [[ $(sinfo --noheader --format='%T' 2>/dev/null) == idle ]] && return 0
    sleep 0.1
  done
  sinfo >&2 || true
  tail -n 20 "$folder"/log/*.log >&2
  return 1
}

"$verb"
