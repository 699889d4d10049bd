/** Python programs that run already: attach to them, write a snapshot now, and show what holds their memory now. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { basename, dirname } from 'node:path';
import * as v from 'valibot';
import * as vscode from 'vscode';
import { byteText } from '../../core/text/numberText.js';
import { visibleText } from '../../core/text/plainText.js';
import { isRunning } from '../../node/isRunning.js';
import { readSidecar } from '../../node/recordingFile.js';
import { integer } from '../../protocol/schema.js';
import { RECORDING_TASK_TYPE } from '../contributions.js';
import { Listener } from '../disposer.js';
import type { ResultsStore } from '../results/resultsStore.js';
import { recorderOptions } from '../settings.js';
import type { SourcePlace } from '../workspace/openSource.js';
import { reportPath } from '../workspace/reportPaths.js';
import type { Interpreters } from './interpreters.js';
import { untilFound } from './runRecording.js';

/** Attaching waits a minute for the program's main thread, and then for its answer. */
const MAX_WAIT_MS = 150_000;
const MAX_ANSWER_BYTES = 16 << 20;
/** Time between two checks whether attached processes still run, in milliseconds: the system informs only a parent. */
const LOOK_MS = 3_000;
/** Runs with the folder of the Python packages, the name of a command and its arguments. */
const COMMAND = `
import sys
sys.path.insert(0, sys.argv.pop(1))
from leakline import attach
sys.exit(attach.main(sys.argv[1], sys.argv[2:]))
`;
const LIST = `
import dataclasses, json, sys
sys.path.insert(0, sys.argv[1])
from leakline.attach import processes
print(json.dumps([dataclasses.asdict(one) for one in processes()]))
`;

const json = v.pipe(v.string(), v.parseJson());
const processes = v.pipe(
  json,
  v.array(v.object({ pid: integer(1), command: v.string(), python: v.string(), uses_gpu: v.boolean() })),
);
type Program = v.InferOutput<typeof processes>[number];

const holders = v.pipe(
  json,
  v.object({
    device: v.string(),
    bytes: integer(0),
    holders: v.array(
      v.object({
        name: v.string(),
        kind: v.string(),
        bytes: integer(0),
        file: v.nullable(v.string()),
        line: v.nullable(integer(1)),
        text: v.string(),
      }),
    ),
    omitted: integer(0),
    omittedBytes: integer(0),
    unheldBytes: integer(0),
    complete: v.boolean(),
  }),
);

/** The part of a sidecar that names the process. */
const sidecar = v.pipe(
  json,
  v.object({
    takenAtUs: integer(0),
    process: v.object({
      pid: integer(1),
      host: v.string(),
      main: v.nullish(v.string()),
      signal: v.nullish(v.picklist(['SIGUSR1', 'SIGUSR2'])),
    }),
  }),
);
interface Recording {
  readonly pid: number;
  readonly program: string;
  /** Triggers a snapshot; null if the program has no handler for it. */
  readonly signal: 'SIGUSR1' | 'SIGUSR2' | null;
}

export class RunningPrograms extends Listener {
  private readonly changed = new vscode.EventEmitter<void>();
  /** Processes that this window attached to. */
  private readonly attached = new Map<number, Program>();
  private lookTimer: ReturnType<typeof setInterval> | undefined;
  private tasks = 0;

  readonly onDidChange = this.changed.event;

  /** @param packages folder of the Python packages @param open shows a line of the workspace */
  constructor(
    private readonly packages: string,
    private readonly interpreters: Interpreters,
    private readonly store: ResultsStore,
    private readonly open: (place: SourcePlace) => Promise<void>,
  ) {
    super();
    const count = (change: number) => (event: { execution: vscode.TaskExecution }) => {
      if (event.execution.task.definition.type !== RECORDING_TASK_TYPE) return;
      this.tasks = Math.max(0, this.tasks + change);
      this.changed.fire();
    };
    this.subscriptions = [
      { dispose: () => clearInterval(this.lookTimer) },
      this.changed,
      vscode.tasks.onDidStartTaskProcess(count(1)),
      vscode.tasks.onDidEndTaskProcess(count(-1)),
    ];
  }

  /** True while a recording runs that this window began. */
  get areRecorded(): boolean {
    return this.tasks + this.attached.size > 0;
  }

  /** Records a running program that the user selects. @throws Error with a message for users */
  async attach(): Promise<void> {
    const title = vscode.l10n.t('Attach to Running Python');
    const program = await this.pick(title);
    if (program === undefined) return;
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    const options = folder === undefined ? [] : recorderOptions(folder);
    await this.ask(program, 'attach', [...options, ...onCpu(program)], title);
    this.attached.set(program.pid, program);
    this.lookTimer ??= setInterval(() => {
      for (const pid of this.attached.keys()) if (!isRunning(pid)) this.forget(pid);
    }, LOOK_MS).unref();
    this.changed.fire();
    void vscode.window.showInformationMessage(vscode.l10n.t('Process {0} is recorded.', program.pid));
  }

  /** Ends the recording of a program that this window attached to, else of one that the user selects. */
  async detach(): Promise<void> {
    const title = vscode.l10n.t('Detach from Running Python');
    const attached = [...this.attached.values()];
    const program = attached.length === 1 ? attached[0] : await this.pick(title);
    if (program === undefined) return;
    try {
      await this.ask(program, 'detach', [], title);
      void vscode.window.showInformationMessage(vscode.l10n.t('Process {0} is no longer recorded.', program.pid));
    } finally {
      this.forget(program.pid);
    }
  }

  private forget(pid: number): void {
    this.attached.delete(pid);
    if (this.attached.size === 0) {
      clearInterval(this.lookTimer);
      this.lookTimer = undefined;
    }
    this.changed.fire();
  }

  /** Writes a snapshot of a program that records. @throws Error with a message for users */
  async dumpNow(): Promise<void> {
    const title = vscode.l10n.t('Dump Now');
    const found = await this.awaitRecordings();
    if (found.length === 0)
      throw new Error(
        vscode.l10n.t('No program on this machine that has written snapshots into this workspace still runs.'),
      );
    const items = found.map((one) => ({ label: one.program, description: String(one.pid), one }));
    const chosen = items.length === 1 ? items[0] : await vscode.window.showQuickPick(items, { title });
    if (chosen === undefined) return;
    const { pid, signal } = chosen.one;
    if (signal !== null) process.kill(pid, signal);
    else await this.ask(this.attached.get(pid) ?? { pid, python: await this.python() }, 'dump', [], title);
    vscode.window.setStatusBarMessage(vscode.l10n.t('{0} writes a snapshot.', visibleText(chosen.one.program)), 5_000);
  }

  /** Lists what holds the memory of a program that the user selects. @throws Error with a message for users */
  async showHolders(): Promise<void> {
    const title = vscode.l10n.t('Who Holds GPU Memory Now');
    const program = await this.pick(title);
    if (program === undefined) return;
    const told = await this.ask(program, 'holders', ['--json', ...onCpu(program)], title);
    const found = v.parse(holders, told);
    const rows = found.holders.map(({ name, kind, bytes, file, line, text }) => ({
      label: rowLabel(visibleText(name), kind),
      description: byteText(bytes),
      detail:
        file === null || line === null
          ? visibleText(text)
          : `${visibleText(vscode.workspace.asRelativePath(file))}:${line}`,
      place: file === null || line === null ? null : { file: reportPath(vscode.Uri.file(file)), line },
    }));
    const rest = [
      { label: vscode.l10n.t('{0} smaller holders', found.omitted), bytes: found.omittedBytes },
      { label: vscode.l10n.t('no Python object that could be named'), bytes: found.unheldBytes },
    ]
      .filter(({ bytes }) => bytes > 0)
      .map(({ label, bytes }) => ({ label, description: byteText(bytes), place: null }));
    const total = vscode.l10n.t('{0} of {1} memory is live.', byteText(found.bytes), found.device.toUpperCase());
    const placeHolder = found.complete
      ? total
      : vscode.l10n.t('{0} The search ran out of time: some holders are missing.', total);
    const chosen = await vscode.window.showQuickPick([...rows, ...rest], {
      ...{ title, placeHolder, matchOnDescription: true, matchOnDetail: true },
    });
    if (chosen?.place != null) await this.open(chosen.place);
  }

  /** @returns undefined if cancelled */
  private async pick(title: string): Promise<Program | undefined> {
    if (!vscode.workspace.isTrusted) {
      throw new Error(vscode.l10n.t('Leakline runs no code of an untrusted workspace. Trust it first.'));
    }
    const text = await this.run(await this.python(), LIST, [], title);
    const found = v.parse(processes, text);
    if (found.length === 0) throw new Error(vscode.l10n.t('No Python program that has loaded PyTorch runs here.'));
    const items = found.map((program) => ({
      label: visibleText(program.command.replace(/^\S*python\S* /, '')),
      description: program.uses_gpu ? String(program.pid) : vscode.l10n.t('{0}, only CPU tensors', program.pid),
      program,
    }));
    return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.program;
  }

  /** Recordings that run. Waits for the first snapshots of one that this window began, because its button is there at once. */
  private async awaitRecordings(): Promise<Recording[]> {
    const found = await untilFound(async () => {
      const recordings = await this.recordings();
      return recordings.length > 0 || !this.areRecorded ? recordings : null;
    });
    return found ?? [];
  }

  /** Recordings into this workspace whose process runs, by the sidecar of their last snapshot. */
  private async recordings(): Promise<Recording[]> {
    const found = await Promise.all(
      (this.store.result?.report.runs ?? []).map(async ({ snapshots }) => {
        const last = snapshots.at(-1);
        const text = last === undefined ? null : await readSidecar(last.path);
        const told = text === null ? null : v.safeParse(sidecar, text);
        if (told?.success !== true || told.output.process.host !== hostname()) return null;
        const { takenAtUs, process: one } = told.output;
        if (!(await isSameProcess(one.pid, takenAtUs))) return null;
        return {
          pid: one.pid,
          program: one.main == null ? String(one.pid) : basename(one.main),
          signal: one.signal ?? null,
        };
      }),
    );
    return found.filter((one) => one !== null);
  }

  private async python(): Promise<string> {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri ?? vscode.Uri.file(this.packages);
    return this.interpreters.of(vscode.Uri.joinPath(folder, 'x.py'));
  }

  private async ask(
    { pid, python }: Pick<Program, 'pid' | 'python'>,
    command: string,
    args: readonly string[],
    title: string,
  ): Promise<string> {
    return this.run(python, COMMAND, [command, String(pid), ...args], title);
  }

  /** @returns the program's standard output @throws Error with what it says on standard error */
  private async run(python: string, code: string, args: readonly string[], title: string): Promise<string> {
    const cwd = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? dirname(this.packages);
    const options = { cwd, timeout: MAX_WAIT_MS, maxBuffer: MAX_ANSWER_BYTES };
    return vscode.window.withProgress({ location: vscode.ProgressLocation.Notification, title }, () => {
      return new Promise<string>((resolve, reject) => {
        // -I: no module of the workspace is imported instead of one of Python.
        execFile(python, ['-I', '-c', code, this.packages, ...args], options, (error, out, errors) => {
          if (error === null) resolve(out.trim());
          else reject(new Error(sentenceOf(errors) || vscode.l10n.t('{0} could not be started.', python)));
        });
      });
    });
  }
}

/** A model's and an optimizer's memory has a row per kind. */
function rowLabel(name: string, kind: string): string {
  switch (kind) {
    case 'parameter':
      return vscode.l10n.t('{0} (parameters)', name);
    case 'gradient':
      return vscode.l10n.t('{0} (gradients)', name);
    case 'buffer':
      return vscode.l10n.t('{0} (buffers)', name);
    case 'optimizer':
      return vscode.l10n.t('{0} (optimizer state)', name);
    default:
      return name;
  }
}

function onCpu({ uses_gpu: usesGpu }: Program): string[] {
  return usesGpu ? [] : ['--device', 'cpu'];
}

/** What the command says after its own name. */
function sentenceOf(errors: string): string {
  return /^leakline: ([^\n]*)/m.exec(errors)?.[1] ?? errors.trim().split('\n').at(-1) ?? '';
}

/** Ticks per second in `/proc`, on every platform of Linux that CUDA has. */
const TICKS = 100;

/** Only Linux tells when a process began. A number may belong to a new process, which a signal could end. */
async function isSameProcess(pid: number, takenAtUs: number): Promise<boolean> {
  if (process.platform !== 'linux') return false;
  try {
    const [own, system] = await Promise.all([readFile(`/proc/${pid}/stat`, 'utf8'), readFile('/proc/stat', 'utf8')]);
    // The name of the program, in parentheses, may have spaces.
    const startTicks = Number(own.slice(own.lastIndexOf(')') + 2).split(' ')[19]);
    const bootSeconds = Number(/^btime (\d+)$/m.exec(system)?.[1]);
    return (bootSeconds + startTicks / TICKS) * 1e6 <= takenAtUs;
  } catch {
    return false;
  }
}
