import type { ReactNode } from 'react';
import { classes } from '../classes.ts';
import { useIsNarrow } from '../media.ts';

export type Column<Row> = {
  key: string;
  head: ReactNode;
  cell(row: Row): ReactNode;
  /** `end` for figures. */
  align?: 'start' | 'end';
  /** Of CSS; absent, as wide as what is in it. */
  width?: string;
  isMono?: boolean;
  /** Whether it says what the row is, so that it opens the row for those who use keys; where no column says so the first one is that. */
  isName?: boolean;
};

/** A row where the page is narrow: two lines. */
export type NarrowRow = { lead: ReactNode; side?: ReactNode; meta?: ReactNode };

type TableProps<Row> = {
  /** What it lists, for those who do not see where it stands. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf(row: Row): string;
  narrow(row: Row): NarrowRow;
  /** What a click on a row opens, or Enter on what it is called. */
  onOpen?(row: Row): void;
  /** Whether there is anything behind a row; there is behind each, unless given. */
  canOpen?(row: Row): boolean;
  isChosen?(row: Row): boolean;
  isDense?: boolean;
};

/** Rows of 32 px with a head that stays in sight; a list of two-line rows where the page is narrow. */
export function Table<Row>(props: TableProps<Row>) {
  return useIsNarrow() ? <NarrowTable {...props} /> : <WideTable {...props} />;
}

/** What opens a row; undefined where nothing does. */
const openerOf =
  <Row,>({ onOpen, canOpen }: TableProps<Row>) =>
  (row: Row): (() => void) | undefined =>
    onOpen && (canOpen?.(row) ?? true) ? () => onOpen(row) : undefined;

function WideTable<Row>(props: TableProps<Row>) {
  const { label, columns, rows, keyOf, isChosen } = props;
  const opener = openerOf(props);
  const name = columns.find(({ isName }) => isName) ?? columns[0];
  return (
    <div
      className="overflow-x-auto bg-surface outline-offset-[-2px]"
      role="region"
      aria-label={label}
      tabIndex={0}
    >
      <table className="w-full border-collapse text-body">
        <thead>
          <tr>
            {columns.map(({ key, head, align, width }) => (
              <th
                key={key}
                scope="col"
                style={{ width }}
                className={classes(
                  'sticky top-0 z-10 h-8 border-b border-line bg-bg px-3 text-meta font-[480] whitespace-nowrap text-faint first:pl-4 last:pr-4 sm:first:pl-6 sm:last:pr-6',
                  align === 'end' ? 'text-right' : 'text-left',
                )}
              >
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => {
            const open = opener(row);
            return (
              <tr
                key={keyOf(row)}
                onClick={(event) => !isControl(event.target) && open?.()}
                aria-current={isChosen?.(row) || undefined}
                className={classes(
                  'h-8 border-b border-line transition-colors hover:bg-hover aria-[current]:bg-tint',
                  open && 'cursor-pointer',
                )}
              >
                {columns.map(({ key, cell, align, isMono }) => (
                  <td
                    key={key}
                    className={classes(
                      'max-w-[28rem] truncate px-3 whitespace-nowrap first:pl-4 last:pr-4 sm:first:pl-6 sm:last:pr-6',
                      align === 'end' && 'text-right',
                      isMono && 'mono',
                    )}
                  >
                    {open && key === name?.key ? (
                      <button
                        type="button"
                        onClick={open}
                        className="block min-h-6 max-w-full truncate text-left outline-offset-[-2px]"
                      >
                        {cell(row)}
                      </button>
                    ) : (
                      cell(row)
                    )}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}

/** A click on a link or a button in a row is meant for that. */
export const isControl = (target: EventTarget): boolean =>
  target instanceof Element && target.closest('a, button, input, label, [role="menuitem"]') !== null;

function NarrowTable<Row>(props: TableProps<Row>) {
  const { label, rows, keyOf, narrow } = props;
  const opener = openerOf(props);
  return (
    <ul aria-label={label}>
      {rows.map((row) => {
        const { lead, side, meta } = narrow(row);
        const open = opener(row);
        const lines = (
          <>
            <span className="flex items-center gap-2">
              <span className="min-w-0 flex-1 truncate">{lead}</span>
              <span className="shrink-0">{side}</span>
            </span>
            {meta && <span className="block truncate text-meta text-muted">{meta}</span>}
          </>
        );
        return (
          <li key={keyOf(row)} className="border-b border-line">
            {open ? (
              <button
                type="button"
                onClick={open}
                className="block min-h-13 w-full px-4 py-2 text-left outline-offset-[-2px]"
              >
                {lines}
              </button>
            ) : (
              <div className="min-h-13 px-4 py-2">{lines}</div>
            )}
          </li>
        );
      })}
    </ul>
  );
}
