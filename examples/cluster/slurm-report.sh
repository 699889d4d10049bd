#!/bin/bash
# Reports over all ranks, after slurm.sh. ROOT is the checkout that ran, RANKS the number of ranks.
#SBATCH --job-name=leakline-report --ntasks=1 --output=report.txt
set -euo pipefail
${LEAKLINE:-leakline} report ${ROOT:+--root "$ROOT"} ${RANKS:+--expect-ranks "$RANKS"} "$OUT"
