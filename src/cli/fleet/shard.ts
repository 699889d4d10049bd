import { createHash } from 'node:crypto';
import { rankByPattern, rankOf } from '../../core/attribution/paths/pathRank.js';
import { UsageError } from '../usageError.js';

/** The part of the inputs that a task works on. */
interface Shard {
  /** The number of the shard, from 0. */
  readonly index: number;
  readonly count: number;
  /** The source of the shard, for messages. */
  readonly from: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The shard of this task: from the option, else from the launcher. Array elements of several tasks multiply.
 * @param option `--shard I/N`
 * @param shards `--shards N`, for launchers that set only the index
 * @throws UsageError
 */
export function shardOf(option: string | null, shards: number | null, environment: Environment): Shard {
  if (option !== null) {
    const [, index, count] = /^(\d{1,9})\/([1-9]\d{0,8})$/.exec(option)?.map(Number) ?? [0, 0, 0];
    if (index >= count) throw new UsageError(`--shard takes I/N, I from 0 to N-1, not '${option}'.`);
    return { index, count, from: '--shard' };
  }
  const number = (name: string): number | null =>
    /^\d{1,9}$/.test(environment[name] ?? '') ? Number(environment[name]) : null;
  const pair = (index: string, count: string): Shard | null => {
    const [i, n] = [number(index), number(count)];
    return i === null || n === null || i >= n ? null : { index: i, count: n, from: index };
  };
  // In a batch script, outside of srun, Slurm's numbers are those of no task.
  const isScript = environment['SLURM_JOB_ID'] !== undefined && environment['SLURM_STEP_ID'] === undefined;
  const task = isScript ? null : pair('SLURM_PROCID', 'SLURM_NTASKS');
  const [id, elements] = [number('SLURM_ARRAY_TASK_ID'), number('SLURM_ARRAY_TASK_COUNT')];
  if (id !== null && elements !== null) {
    const step = number('SLURM_ARRAY_TASK_STEP') ?? 1;
    const element = Math.floor((id - (number('SLURM_ARRAY_TASK_MIN') ?? 0)) / Math.max(1, step));
    const each = task?.count ?? 1;
    return { index: element * each + (task?.index ?? 0), count: elements * each, from: 'SLURM_ARRAY_TASK_ID' };
  }
  const known = task ?? pair('OMPI_COMM_WORLD_RANK', 'OMPI_COMM_WORLD_SIZE') ?? pair('PMI_RANK', 'PMI_SIZE');
  if (known !== null) return known;
  for (const name of ['JOB_COMPLETION_INDEX', 'AWS_BATCH_JOB_ARRAY_INDEX']) {
    const index = number(name);
    if (index === null) continue;
    if (shards === null) throw new UsageError(`${name} is ${index}, of how many? Give --shards N.`);
    if (index < shards) return { index, count: shards, from: name };
    throw new UsageError(`${name} is ${index}: --shards must be larger.`);
  }
  return { index: 0, count: 1, from: '' };
}

/** True if a file is of the shard: by its rank, so that one task has all of a rank, else by its path. */
export function isOfShard({ index, count }: Shard, name: string, rankPattern: RegExp | null): boolean {
  return (rankByPattern(name, rankPattern) ?? rankOf(name) ?? hashOf(name)) % count === index;
}

/** True if a group of digests is of the shard. */
export function isGroupOfShard({ index, count }: Shard, group: string): boolean {
  const rank = /\/rank(\d+)$/.exec(group)?.[1];
  return (rank === undefined ? hashOf(group) : Number(rank)) % count === index;
}

function hashOf(text: string): number {
  return createHash('sha256').update(text).digest().readUInt32LE(0);
}
