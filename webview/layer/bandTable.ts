/** The series in view as a table, the largest first. */
import type { StackedBands } from '../model/stackedBands.js';
import { bytesColumn, countColumn, DataTable, nameColumn, placeCell, textColumn } from '../parts/dataTable.js';
import { strings } from '../text/strings.js';
import { groupName, seriesName } from './bandText.js';

interface Band {
  series: number;
  highest: number;
  of: Float64Array;
}

export function allocationTable(
  { values, bands, blockOffset }: StackedBands,
  open: (line: { file: string; line: number }) => void,
): DataTable<Band> {
  const rows = values
    .map((of, series): Band => ({ series, of, highest: of.reduce((most, value) => Math.max(most, value), 0) }))
    .filter(({ highest }) => highest > 0)
    .sort((a, b) => b.highest - a.highest);
  const placeOf = ({ series }: Band) => bands.allSeries.at(series)?.place ?? null;
  const table = new DataTable<Band>({
    class: 'band-table',
    label: strings.bandTable,
    target: (row) => (placeOf(row)?.mapped === true ? placeOf(row) : null),
    open,
  });
  table.show({
    columns: [
      nameColumn(strings.columnBand, (row) =>
        placeCell(seriesName(bands, row.series, 'whole'), placeOf(row)?.mapped === true),
      ),
      textColumn(strings.columnGroup, ({ series }) => groupName(bands, series)),
      bytesColumn(strings.columnHighest, ({ highest }) => highest),
      bytesColumn(strings.columnFirst, ({ of }) => of[0]),
      bytesColumn(strings.columnLast, ({ of }) => of[of.length - 1]),
      countColumn(strings.columnAllocations, ({ series }) => blockOffset[series + 1] - blockOffset[series]),
    ],
    rows,
  });
  return table;
}
