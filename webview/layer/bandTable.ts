/** The series in view as a table, the largest first. */
import type { StackedBands } from '../model/stackedBands.js';
import { bytesColumn, countColumn, DataTable, nameColumn, placeCell, textColumn } from '../parts/dataTable.js';
import { t } from '../../src/core/text/translate.js';
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
    label: t('Series in view, the largest first'),
    target: (row) => (placeOf(row)?.mapped === true ? placeOf(row) : null),
    open,
  });
  table.show({
    columns: [
      nameColumn(t('Series'), (row) =>
        placeCell(seriesName(bands, row.series, 'whole'), placeOf(row)?.mapped === true),
      ),
      textColumn(t('Group'), ({ series }) => groupName(bands, series)),
      bytesColumn(t('Highest'), ({ highest }) => highest),
      bytesColumn(t('At the start'), ({ of }) => of[0]),
      bytesColumn(t('At the end'), ({ of }) => of[of.length - 1]),
      countColumn(t('Outlined allocations'), ({ series }) => blockOffset[series + 1] - blockOffset[series]),
    ],
    rows,
  });
  return table;
}
