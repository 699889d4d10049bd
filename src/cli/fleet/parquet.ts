/** Tables as Parquet: a separate file, which one command loads. */
import { parquetWriteBuffer } from 'hyparquet-writer';
import { VERSION } from '../../node/version.js';

export type FactValue = string | number | boolean | null;

/** One column of a table. */
export interface FactColumn {
  readonly name: string;
  readonly type: 'text' | 'int' | 'flag';
  readonly values: FactValue[];
}

/** The bytes of a table's file. Whole numbers are of 64 bits. */
export function parquetBytes(columns: readonly FactColumn[]): Uint8Array {
  const columnData = columns.map(({ name, type, values }) => ({
    name,
    type: type === 'int' ? ('INT64' as const) : type === 'text' ? ('STRING' as const) : ('BOOLEAN' as const),
    data:
      type === 'int' ? values.map((value) => (value === null ? null : BigInt(Math.round(Number(value))))) : [...values],
  }));
  return new Uint8Array(parquetWriteBuffer({ columnData, createdBy: `leakline ${VERSION}` }));
}
