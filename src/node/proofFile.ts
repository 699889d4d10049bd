import type { ProofStore } from '../core/report/lines/provedBefore.js';
import { CacheFolder, type CacheSettings } from './cacheFolder.js';
import { readColumnFile, writeColumnFile } from './columnFile.js';

/** Proofs of leaks, in a file beside the cached snapshots. */
export class ProofFile implements ProofStore {
  private storing: Promise<void> = Promise.resolve();

  /**
   * @param settings null to store nothing @param version of the code that proves: proofs of other versions do not count
   */
  constructor(
    private readonly settings: () => CacheSettings | null,
    private readonly version: string,
  ) {}

  async load(): Promise<unknown> {
    const facts = await this.folder?.load(this.version, '.proofs', async (file) => (await readColumnFile(file)).facts);
    return facts ?? null;
  }

  store(proofs: unknown): void {
    const bytes = JSON.stringify(proofs).length;
    this.storing = this.storing.then(() =>
      this.folder?.store(this.version, '.proofs', bytes, (file) =>
        writeColumnFile(file, { facts: proofs, columns: {} }),
      ),
    );
  }

  private get folder(): CacheFolder | null {
    const settings = this.settings();
    return settings === null || settings.maxBytes === 0 ? null : new CacheFolder(settings);
  }
}
