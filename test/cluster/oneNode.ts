/** Slurm on this machine: one node, all its files in one folder. */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../support/eventually.js';

const PROGRAMS = ['munged', 'slurmctld', 'slurmd', 'sbatch', 'srun', 'scontrol', 'sinfo'];

/** Why Slurm cannot run here; null where it can. */
export function whyNoSlurm(): string | null {
  if (process.getuid?.() !== 0) return 'Slurm needs root';
  const missing = PROGRAMS.find((name) => spawnSync('which', [name]).status !== 0);
  return missing === undefined ? null : `there is no ${missing}: install slurm-wlm`;
}

export class OneNode {
  private readonly daemons: ChildProcess[] = [];
  readonly environment: NodeJS.ProcessEnv;

  constructor(private readonly folder: string) {
    // A task has none of the numbers of a job around the tests.
    const own = Object.entries(process.env).filter(([name]) => !/^(?:SLURM|SBATCH)_/.test(name));
    this.environment = { ...Object.fromEntries(own), SLURM_CONF: join(folder, 'slurm.conf') };
  }

  async start(): Promise<void> {
    const at = (name: string): string => join(this.folder, name);
    for (const name of ['state', 'spool']) mkdirSync(at(name), { recursive: true });
    writeFileSync(at('munge.key'), Buffer.alloc(128, 7), { mode: 0o600 });
    const host = hostname();
    const settings = {
      ClusterName: 'leakline',
      SlurmctldHost: `${host}(127.0.0.1)`,
      SlurmUser: 'root',
      SlurmctldPort: 16817,
      SlurmdPort: 16818,
      AuthType: 'auth/munge',
      AuthInfo: `socket=${at('munge.socket')}`,
      StateSaveLocation: at('state'),
      SlurmdSpoolDir: at('spool'),
      SlurmctldPidFile: at('slurmctld.pid'),
      SlurmdPidFile: at('slurmd.pid'),
      ProctrackType: 'proctrack/linuxproc',
      TaskPlugin: 'task/none',
      MpiDefault: 'none',
      SwitchType: 'switch/none',
      JobRequeue: 1,
      ReturnToService: 2,
      SchedulerParameters: 'sched_min_interval=0,bf_interval=1',
      SlurmdParameters: 'config_overrides',
    };
    const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}`);
    lines.push(`NodeName=${host} NodeAddr=127.0.0.1 CPUs=4 State=UNKNOWN`);
    lines.push(`PartitionName=all Nodes=${host} Default=YES MaxTime=INFINITE State=UP`);
    writeFileSync(at('slurm.conf'), `${lines.join('\n')}\n`);
    this.daemon(
      'munged',
      '-F',
      '--force',
      `--socket=${at('munge.socket')}`,
      `--key-file=${at('munge.key')}`,
      ...['--pid-file', at('munged.pid')],
      ...['--log-file', at('munged.log')],
      ...['--seed-file', at('munged.seed')],
    );
    this.daemon('slurmctld', '-D', '-i');
    this.daemon('slurmd', '-D');
    await eventually(() => {
      if (!this.run('sinfo', '-h', '-o', '%t').includes('idle')) throw new Error('the node is not idle');
    });
  }

  /** Runs a client of Slurm. @returns its standard output */
  run(...[program, ...args]: string[]): string {
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', env: this.environment });
    if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
    return stdout;
  }

  /** Settles when a job has ended. */
  async ended(job: string): Promise<void> {
    await eventually(
      () => {
        const states = this.run('scontrol', 'show', 'job', job);
        if (/JobState=(?:PENDING|RUNNING|COMPLETING|REQUEUED|CONFIGURING)/.test(states)) throw new Error(states);
      },
      { timeoutMs: 120_000 },
    );
  }

  stop(): void {
    for (const daemon of this.daemons.reverse()) daemon.kill('SIGTERM');
  }

  private daemon(program: string, ...args: string[]): void {
    this.daemons.push(spawn(program, args, { env: this.environment, stdio: 'ignore' }));
  }
}
