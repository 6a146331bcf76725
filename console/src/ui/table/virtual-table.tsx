import { useVirtualizer } from '@tanstack/react-virtual';
import { type ReactNode, type RefObject, useEffect, useRef } from 'react';
import { classes } from '../classes.ts';
import { useIsNarrow } from '../media.ts';
import { type Column, isControl, type NarrowRow } from './table.tsx';
import { cellOf, NarrowCells } from './virtual-cells.tsx';

type VirtualTableProps<Row> = {
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
  narrow(row: Row): NarrowRow;
  onOpen(row: Row): void;
  /** Index of the row that is looked at; -1 for none. It is kept in sight. */
  chosen: number;
  /** Called when the last rows come into sight. */
  onEnd(): void;
  /** Called when the reader leaves the first row, or comes back to it. */
  onTop?(isAtTop: boolean): void;
  /** Whether a row has just come in. */
  isNew?(row: Row): boolean;
  /** What stands below the last row. */
  foot?: ReactNode;
  scroller?: RefObject<HTMLDivElement | null>;
  /** By which the router remembers how far it is scrolled, and how far it was. */
  place?: { id: string; top: number };
};

const ROW = 32;
const NARROW_ROW = 56;

/** Long lists: the rows in view alone are drawn. Each column needs a width. */
export function VirtualTable<Row>(props: VirtualTableProps<Row>) {
  const { label, columns, rows, keyOf, narrow, onOpen, chosen, onEnd, onTop, isNew, foot, place } = props;
  const isNarrow = useIsNarrow();
  const own = useRef<HTMLDivElement>(null);
  const scroller = props.scroller ?? own;
  const height = isNarrow ? NARROW_ROW : ROW;
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : keyOf(row);
    },
    overscan: 12,
    initialOffset: place?.top ?? 0,
  });
  const items = virtual.getVirtualItems();
  const last = items.at(-1)?.index ?? -1;

  useEffect(() => {
    if (last >= rows.length - 10 && rows.length > 0) onEnd();
  }, [last, rows.length, onEnd]);
  useEffect(() => {
    if (chosen >= 0) virtual.scrollToIndex(chosen, { align: 'auto' });
  }, [chosen, virtual]);
  // The height of a row follows the width of the page.
  // biome-ignore lint/correctness/useExhaustiveDependencies: height is what changes the measures
  useEffect(() => virtual.measure(), [height, virtual]);

  const template = columns.map(({ width = 'minmax(80px, 1fr)' }) => width).join(' ');
  return (
    <div
      ref={scroller}
      data-scroll-restoration-id={place?.id}
      onScroll={({ currentTarget }) => onTop?.(currentTarget.scrollTop < height)}
      className="min-h-0 flex-1 overflow-auto bg-surface outline-offset-[-2px] [contain:strict]"
    >
      <div
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        className={isNarrow ? 'w-full' : 'w-max min-w-full'}
      >
        {!isNarrow && (
          <div
            role="row"
            aria-rowindex={1}
            className="sticky top-0 z-10 grid h-8 items-center border-b border-line bg-bg"
            style={{ gridTemplateColumns: template }}
            tabIndex={-1}
          >
            {columns.map(({ key, head, align }) => (
              <div
                key={key}
                role="columnheader"
                tabIndex={-1}
                className={classes(
                  'truncate px-2 text-meta text-faint first:pl-4 last:pr-4 sm:first:pl-6 sm:last:pr-6',
                  align === 'end' && 'text-right',
                )}
              >
                {head}
              </div>
            ))}
          </div>
        )}
        <div role="rowgroup" className="relative" style={{ height: virtual.getTotalSize() }}>
          {items.map(({ index, key, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the page's own keys open rows
              <div
                key={key}
                role="row"
                tabIndex={-1}
                aria-rowindex={index + 2}
                aria-selected={index === chosen}
                onClick={(event) => !isControl(event.target) && onOpen(row)}
                className={classes(
                  'absolute inset-x-0 grid cursor-pointer items-center border-b border-line text-body',
                  'hover:bg-hover aria-selected:bg-tint',
                  isNew?.(row) && 'arrived',
                )}
                style={{
                  height,
                  transform: `translateY(${start}px)`,
                  gridTemplateColumns: isNarrow ? '1fr' : template,
                }}
              >
                {isNarrow ? <NarrowCells {...narrow(row)} /> : columns.map((column) => cellOf(column, row))}
              </div>
            );
          })}
        </div>
      </div>
      {foot}
    </div>
  );
}
