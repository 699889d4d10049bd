"""Digests snapshots on a Ray cluster, one task per shard:

    python -m leakline_recorder.on_ray --out /fsx/run7 /fsx/dumps

Every node needs the command line and sees the same paths. Run it again after a failure: what is there is not read again.
"""
import argparse
import shlex
import subprocess
from pathlib import Path

RETRIES = 3


def digest(out, inputs, shards=None, command=('leakline',), options=()):
    """Runs ``leakline digest`` for all shards. Returns the last line of each; raises what a shard that failed said."""
    import ray

    if not ray.is_initialized():
        ray.init()
    shards = shards or max(1, int(ray.cluster_resources().get('CPU', 1)))
    paths = [str(Path(path).absolute()) for path in inputs]

    # A worker that is killed is replaced; a shard that says what is wrong is not tried again.
    @ray.remote(num_cpus=1, max_retries=RETRIES)
    def run(shard):
        words = [*command, 'digest', '--shard', f'{shard}/{shards}', '--out', str(Path(out).absolute()), *options, *paths]
        done = subprocess.run(words, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise RuntimeError(done.stderr.strip())
        return done.stdout.strip()

    return ray.get([run.remote(shard) for shard in range(shards)])


def main():
    """Reads the arguments of the command line."""
    parser = argparse.ArgumentParser(prog='python -m leakline_recorder.on_ray', description=__doc__.splitlines()[0])
    parser.add_argument('--out', required=True, help='folder of the digests, seen by every node')
    parser.add_argument('--shards', type=int, help="number of tasks; the cluster's CPUs without it")
    parser.add_argument('--command', default='leakline', help='how a node calls the command line')
    parser.add_argument('--rank-pattern', help='regular expression that finds the rank in a path')
    parser.add_argument('inputs', nargs='+', help='snapshots, or folders that hold some')
    given = parser.parse_args()
    options = [] if given.rank_pattern is None else ['--rank-pattern', given.rank_pattern]
    for line in digest(given.out, given.inputs, given.shards, shlex.split(given.command), options):
        print(line)


if __name__ == '__main__':
    main()
