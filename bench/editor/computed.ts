/** In the Node that runs the host, and newer than the types. In microseconds. */
interface ThreadUsage {
  threadCpuUsage(): { user: number; system: number };
}

/** Milliseconds of CPU that this thread has used: what else the machine does has no part in it. */
export function computed(): number {
  const { user, system } = (process as unknown as ThreadUsage).threadCpuUsage();
  return (user + system) / 1000;
}
