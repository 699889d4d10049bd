/** Leakline's reader: the file into columns. */
import { deviceTotals } from '../../src/core/digest/digest.js';
import { readSnapshot } from '../../src/core/formats/readSnapshot.js';
import { openFile } from '../../src/node/fileSource.js';
import { measure } from './measure.js';

await measure(async () => {
  const file = await openFile(process.argv[2]);
  const snapshot = await readSnapshot(file.source);
  await file.close();
  return {
    events: snapshot.events.count,
    liveBytes: deviceTotals(snapshot).reduce((sum, { liveBytes }) => sum + liveBytes, 0),
  };
});
