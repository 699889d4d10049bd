/** The measurements of a row's process. */
import { readFileSync } from 'node:fs';

/** Found by a row, to be held against what is in the file; null where the row builds no data. */
export interface Found {
  events: number | null;
  liveBytes: number | null;
}

export interface Measurement extends Found {
  seconds: number;
  /** CPU time of all threads, which a busy machine cannot stretch. */
  cpuSeconds: number;
  peakBytes: number;
}

/** Times `work` once and prints a measurement as JSON. */
export async function measure(work: () => Promise<Found> | Found): Promise<void> {
  const start = performance.now();
  const cpu = process.cpuUsage();
  const found = await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  const measurement: Measurement = { seconds, cpuSeconds: (user + system) / 1e6, peakBytes: peakBytes(), ...found };
  process.stdout.write(JSON.stringify(measurement));
}

/**
 * Highest resident memory of this process. `maxRSS` would do, but on Linux it starts at the memory of the process that
 * spawned this one.
 */
function peakBytes(): number {
  try {
    const match = /VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'));
    if (match !== null) return Number(match[1]) * 1024;
  } catch {
    // Not Linux.
  }
  return process.resourceUsage().maxRSS * 1024;
}
