import type { WhatIfAnswer } from '../../src/protocol/whatIfData.js';

export interface WhatIfRow {
  /** Null for the recorded settings. */
  setting: string | null;
  reservedPeakBytes: number;
  /** Negative if more is reserved; null of the recorded settings. */
  savedBytes: number | null;
  reservedEndBytes: number;
  /** Free capacity at the peak; null if it does not fit, or the capacity is unknown. */
  leftBytes: number | null;
  isEstimate: boolean;
}

/** The recorded settings, then the others, the best first. */
export function whatIfRows({ recorded, outcomes }: WhatIfAnswer): WhatIfRow[] {
  if (recorded === null) return [];
  const { reservedPeakBytes, reservedEndBytes, capacityBytes, failure } = recorded;
  const left = failure === null && capacityBytes !== null ? capacityBytes - reservedPeakBytes : -1;
  return [
    {
      ...{ setting: null, reservedPeakBytes, savedBytes: null, reservedEndBytes },
      ...{ leftBytes: left < 0 ? null : left, isEstimate: false },
    },
    ...outcomes.map((outcome) => ({
      setting: outcome.setting,
      reservedPeakBytes: outcome.reservedPeakBytes,
      savedBytes: outcome.insteadOfBytes - outcome.reservedPeakBytes,
      reservedEndBytes: outcome.reservedEndBytes,
      leftBytes: outcome.fits === true ? outcome.leftBytes : null,
      isEstimate: outcome.isEstimate,
    })),
  ];
}
