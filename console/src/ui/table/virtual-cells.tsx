import { classes } from '../classes.ts';
import type { Column, NarrowRow } from './table.tsx';

/** A cell of a long list. */
export const cellOf = <Row,>({ key, cell, align, isMono }: Column<Row>, row: Row) => (
  <div
    key={key}
    role="gridcell"
    tabIndex={-1}
    className={classes(
      'min-w-0 truncate px-2 first:pl-4 last:pr-4 sm:first:pl-6 sm:last:pr-6',
      align === 'end' && 'text-right',
      isMono && 'mono',
    )}
  >
    {cell(row)}
  </div>
);

/** The same where the page is narrow: all of a row in two lines. */
export const NarrowCells = ({ lead, side, meta }: NarrowRow) => (
  <div role="gridcell" tabIndex={-1} className="min-w-0 px-4">
    <div className="flex items-center gap-2">
      <span className="min-w-0 flex-1 truncate">{lead}</span>
      <span className="shrink-0">{side}</span>
    </div>
    <div className="truncate text-meta text-muted">{meta}</div>
  </div>
);
