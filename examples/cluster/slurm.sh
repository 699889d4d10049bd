#!/bin/bash
# Digests the snapshots of a job on Slurm, one shard per element of the array:
#
#   export DUMPS=/fsx/dumps OUT=$SCRATCH/run7
#   job=$(sbatch --parsable --array=0-63 slurm.sh)
#   sbatch --dependency=afterany:$job slurm-report.sh
#
# Submit it again after a failure: what is there is not read again.
#SBATCH --job-name=leakline --ntasks=1 --requeue
set -euo pipefail
# The command may have several words, such as: node dist/cli.js
${LEAKLINE:-leakline} digest --out "$OUT" "$DUMPS"
${LEAKLINE:-leakline} summarize ${ROOT:+--root "$ROOT"} "$OUT"
