"""Digests snapshots on a Ray cluster, one task per shard:

    python -m leakline.ray digest --out /fsx/run7 /fsx/dumps

Every node needs this package and Node.js, and sees the same paths. Run it again after a failure: digests that exist are not
made again.
"""
from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path
from typing import List, Optional, Sequence

from .command_line import NodeMissing, command

RETRIES = 3


def digest(out: str, inputs: Sequence[str], shards: Optional[int] = None, options: Sequence[str] = ()) -> List[str]:
    """Runs ``leakline digest`` for all shards, by default one per CPU of the cluster. Returns the last line of each.
    :raises RuntimeError: with the message of a failed shard
    """
    import ray

    if not ray.is_initialized():
        ray.init()
    count = shards or max(1, int(ray.cluster_resources().get('CPU', 1)))
    given = ['--out', _absolute(out), *options, *map(_absolute, inputs)]

    # A killed worker is replaced; a shard with an error message is not tried again.
    @ray.remote(num_cpus=1, max_retries=RETRIES)
    def run(shard: int) -> str:
        done = subprocess.run(command(['digest', '--shard', f'{shard}/{count}', *given]), capture_output=True, text=True)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return done.stdout.strip()

    return ray.get([run.remote(shard) for shard in range(count)])


def _absolute(path: str) -> str:
    return str(Path(path).absolute())


def main() -> int:
    parser = argparse.ArgumentParser(prog='python -m leakline.ray', description='Digest snapshots on a Ray cluster.')
    parser.add_argument('command', choices=['digest'])
    parser.add_argument('--out', required=True, help='folder of the digests, seen by every node')
    parser.add_argument('--shards', type=int, help="number of tasks; the cluster's CPUs without it")
    parser.add_argument('--rank-pattern', help='regular expression that finds the rank in a path')
    parser.add_argument('inputs', nargs='+', help='snapshots, or folders that hold some')
    given = parser.parse_args()
    options = ['--rank-pattern', given.rank_pattern] if given.rank_pattern else []
    try:
        print('\n'.join(digest(given.out, given.inputs, given.shards, options)))
    except (NodeMissing, RuntimeError) as error:
        print(f"leakline: {getattr(error, 'cause', error)}", file=sys.stderr)    # not the traceback of the worker
        return 2
    return 0


if __name__ == '__main__':
    sys.exit(main())
