import * as v from 'valibot';
import { count } from '../../model/schema.js';
import type { OwnerLine } from '../../attribution/owner.js';
import type { ObservedLine } from './observedLine.js';
import type { ObservedRun } from './observedRun.js';
import type { HolderReport, LineReport } from '../report.js';

/** The basis of a proved leak: the versions of its files, and its holder. */
interface Proof {
  readonly versions: readonly (readonly [file: string, sha256: string])[];
  readonly holder: HolderReport | null;
}

interface StoredProof extends Proof {
  readonly key: string;
}

/** Where proofs outlive this process. */
export interface ProofStore {
  /** The last stored data of any type, or null. Never fails. */
  load(): Promise<unknown>;
  /** Replaces the stored data. Never fails. */
  store(proofs: unknown): void;
}

/** More lines do not leak. */
const MAX_LINES = 2_000;

/** Leaks that were proved before their source was edited. An unfinished fix does not change the recorded facts. */
export class ProvedBefore {
  private readonly proofs = new Map<string, Proof>();
  private recalled: Promise<void> | null = null;
  /** The stored data as text. */
  private saved = '[]';

  /** @param proofStore null to forget all with this object */
  constructor(private readonly proofStore: ProofStore | null) {}

  /** Settles when the proofs of earlier processes are loaded. */
  recall(): Promise<void> {
    this.recalled ??= this.load();
    return this.recalled;
  }

  /** The proof of a leak with an edited file, or null. @param versionOf the digest of a file's current text, or null */
  proofOf(run: ObservedRun, line: ObservedLine, versionOf: (file: string) => string | null): Proof | null {
    if (line.shape !== 'lasting') return null;
    const proof = this.proofs.get(keyOf(run, line.owner));
    if (proof === undefined || holds(proof, versionOf)) return null;
    return { ...proof, holder: proof.holder === null ? null : { ...proof.holder, edit: null } };
  }

  /** Stores a run's leaks that were not restored. */
  note(run: ObservedRun, lines: readonly LineReport[], versionOf: (file: string) => string | null): void {
    for (const line of lines) {
      const key = keyOf(run, line);
      const proof = this.proofs.get(key);
      // A different version of the source proves nothing about the one that ran.
      if (line.verdict !== 'leak' && proof !== undefined && !holds(proof, versionOf)) continue;
      this.proofs.delete(key);
      if (line.verdict !== 'leak' || !line.mapped) continue;
      const files = new Set([line.file, ...(line.holder === null ? [] : [line.holder.file])]);
      const versions = [...files].flatMap((file) => {
        const sha256 = versionOf(file);
        return sha256 === null ? [] : [[file, sha256] as const];
      });
      this.proofs.set(key, { versions, holder: line.holder });
    }
    for (const key of this.proofs.keys()) {
      if (this.proofs.size <= MAX_LINES) return;
      this.proofs.delete(key);
    }
  }

  /** Stores the current proofs for later processes, if they are new. */
  save(): void {
    if (this.proofStore === null) return;
    const proofs = [...this.proofs].map(([key, { versions, holder }]) => ({
      key,
      versions,
      holder: holder === null ? null : { ...holder, edit: null },
    }));
    const text = JSON.stringify(proofs);
    if (text === this.saved) return;
    this.saved = text;
    this.proofStore.store(proofs);
  }

  private async load(): Promise<void> {
    const proofs = (await this.proofStore?.load()) ?? [];
    if (!v.is(storedProofs, proofs)) return;
    for (const { key, versions, holder } of proofs.slice(-MAX_LINES)) this.proofs.set(key, { versions, holder });
    this.saved = JSON.stringify(proofs);
  }
}

/** True while all files are those that the proof is of. */
function holds({ versions }: Proof, versionOf: (file: string) => string | null): boolean {
  return versions.every(([file, sha256]) => versionOf(file) === sha256);
}

/** A run that is recorded again into the same files is another one: its source may be the cured one. */
function keyOf({ run }: ObservedRun, { file, line, function: name }: OwnerLine): string {
  const first = run.snapshots.at(0);
  return [run.id, first?.takenAtUs ?? '', first?.fileBytes ?? '', file, line, name].join('\n');
}

/** A holder is stored without its edit, which fits another text. */
const storedProofs: v.GenericSchema<StoredProof[]> = v.array(
  v.object({
    key: v.string(),
    versions: v.array(v.tuple([v.string(), v.string()])),
    holder: v.nullable(
      v.object({
        source: v.picklist(['recorder', 'cycle', 'pattern']),
        file: v.string(),
        line: count,
        name: v.string(),
        text: v.string(),
        fix: v.nullable(v.string()),
        edit: v.null(),
      }),
    ),
  }),
);
