#!/bin/sh
# A batch as a Slurm array: every task does one part of the jobs. Submit it with
#     sbatch --array=1-8 slurm.sh jobs.jsonl made
# and put the parts together, once all have ended, with
#     orthant batch merge --out made
#SBATCH --job-name=orthant
#SBATCH --cpus-per-task=1
#SBATCH --mem=2G
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=%x-%A_%a.log
# --requeue: a task that is pre-empted gets SIGTERM, ends with its journal whole, and goes on when
# it is started again, because of --resume. exec: the signal reaches the program itself.
exec "${ORTHANT:-orthant}" batch "$1" --out "$2" --shard auto --resume \
  --threads "${SLURM_CPUS_PER_TASK:-1}" ${SLURM_MEM_PER_NODE:+--memory "${SLURM_MEM_PER_NODE}MiB"} \
  --accept-unconverged
