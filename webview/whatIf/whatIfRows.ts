import type { WhatIfAnswer } from '../../src/protocol/whatIfData.js';
import type { TableCell, TableData } from '../parts/tableData.js';
import { strings } from '../text/strings.js';

export interface WhatIfRow {
  /** Null for the recording as it is. */
  change: { id: string; name: string } | null;
  reservedPeakBytes: number;
  /** Negative if more is reserved; null of the recording as it is. */
  savedBytes: number | null;
  reservedEndBytes: number;
  /** Free capacity at the peak; null if it does not fit, or the capacity is unknown. */
  leftBytes: number | null;
  isEstimate: boolean;
}

/** The recording as it is, then with each change, the best first. */
export function whatIfRows({ recorded, outcomes }: WhatIfAnswer): WhatIfRow[] {
  if (recorded === null) return [];
  const { reservedPeakBytes, reservedEndBytes, capacityBytes, failure } = recorded;
  const left = failure === null && capacityBytes !== null ? capacityBytes - reservedPeakBytes : -1;
  return [
    {
      ...{ change: null, reservedPeakBytes, savedBytes: null, reservedEndBytes },
      ...{ leftBytes: left < 0 ? null : left, isEstimate: false },
    },
    ...outcomes.map((outcome) => ({
      change: { id: outcome.change, name: outcome.name },
      reservedPeakBytes: outcome.reservedPeakBytes,
      savedBytes: outcome.insteadOfBytes - outcome.reservedPeakBytes,
      reservedEndBytes: outcome.reservedEndBytes,
      leftBytes: outcome.fits === true ? outcome.leftBytes : null,
      isEstimate: outcome.isEstimate,
    })),
  ];
}

export function whatIfTable(rows: readonly WhatIfRow[]): TableData {
  return {
    columns: ['change', 'reserved_peak_bytes', 'saved_bytes', 'reserved_at_end_bytes', 'left_bytes', 'is_estimate'],
    rows: rows.map((row): TableCell[] => [
      row.change?.name ?? strings.asRecorded,
      ...[row.reservedPeakBytes, row.savedBytes, row.reservedEndBytes, row.leftBytes, Number(row.isEstimate)],
    ]),
  };
}
