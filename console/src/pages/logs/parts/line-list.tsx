import { type RefObject, useMemo } from 'react';
import { count } from '../../../format/number.ts';
import { useGo, usePlace, useSearch } from '../../../shell/address.ts';
import { useKeys } from '../../../shell/keys.ts';
import { useRange } from '../../../shell/range.ts';
import { Refused } from '../../../shell/states/asked.tsx';
import { useZone } from '../../../shell/stored.ts';
import { Banner, Button, Drawer, SkeletonRows, useIsNarrow, VirtualTable } from '../../../ui/index.ts';
import { LogDetail } from '../detail/detail.tsx';
import { type ColumnName, columnsFor } from './columns.tsx';
import { EmptyLogs } from './empty-logs.tsx';
import type { AddTerm } from './filter-cell.tsx';
import type { Line } from './line.ts';
import { narrowLine } from './narrow-line.tsx';
import type { useLines } from './use-lines.ts';

type LineListProps = {
  list: ReturnType<typeof useLines>;
  lines: readonly Line[];
  /** Those that came in last. */
  arrived: readonly Line[];
  waiting: number;
  onShow(): void;
  columns: readonly ColumnName[];
  scroller: RefObject<HTMLDivElement | null>;
  onTop(isAtTop: boolean): void;
  onAdd: AddTerm;
};

const DAY_MS = 86_400_000;

/** The rows, in each of their states, and the drawer with the one that is looked at. */
export function LineList({ list, lines, arrived, waiting, onShow, columns, ...rest }: LineListProps) {
  const [search, change] = useSearch();
  const [zone] = useZone();
  const range = useRange();
  const go = useGo();
  const place = usePlace('logs');
  const isNarrow = useIsNarrow();
  const hasDays = Date.parse(range.to) - Date.parse(range.from) > DAY_MS;
  const { onAdd, onTop, scroller } = rest;
  const own = useMemo(
    () => columnsFor({ zone, hasDays, onAdd }).filter(({ key }) => columns.includes(key)),
    [zone, hasDays, onAdd, columns],
  );
  const newest = useMemo(() => new Set(arrived.slice(0, 200).map(({ id }) => id)), [arrived]);
  const chosen = lines.findIndex(({ id }) => id === search.log);
  const open = (line: Line | undefined) => {
    if (!line) return;
    if (isNarrow) go(`logs/${line.id}`);
    else change({ log: line.id }, search.log !== undefined);
  };
  const close = () => change({ log: null }, true);
  useKeys({
    j: () => open(lines[chosen + 1]),
    k: () => open(lines[Math.max(chosen - 1, 0)]),
    Escape: close,
  });

  if (list.isError && (lines.length === 0 || list.error.code === 'FORBIDDEN'))
    return <Refused error={list.error} what="Logs" onRetry={() => void list.refetch()} />;
  if (list.isPending) return <SkeletonRows />;
  return (
    <>
      {list.isError && (
        <div className="px-4 py-2">
          <Banner tone="bad" action={<Button onClick={() => void list.refetch()}>Retry</Button>}>
            {list.error.message} What was read before stays.
          </Banner>
        </div>
      )}
      {waiting > 0 && (
        <button
          type="button"
          onClick={onShow}
          className="h-8 shrink-0 border-b border-line bg-tint text-accent hover:underline"
        >
          {count(waiting)} newer (press .)
        </button>
      )}
      {lines.length === 0 ? (
        <EmptyLogs hasFilter={Boolean(search.q)} onClear={() => change({ q: null })} />
      ) : (
        <VirtualTable<Line>
          label="Logs"
          columns={own}
          rows={lines}
          keyOf={({ id }) => id}
          narrow={narrowLine(zone)}
          onOpen={open}
          chosen={chosen}
          onEnd={() => list.hasNextPage && !list.isFetchingNextPage && void list.fetchNextPage()}
          onTop={onTop}
          isNew={({ id }) => newest.has(id)}
          scroller={scroller}
          place={place}
          foot={<Foot list={list} shown={lines.length} />}
        />
      )}
      <p role="status" className="sr-only">
        {waiting > 0 ? `${count(waiting)} new requests` : ''}
      </p>
      {!isNarrow && search.log !== undefined && (
        <Drawer isOpen onClose={close} label="Log">
          <LogDetail key={search.log} id={search.log} onClose={close} />
        </Drawer>
      )}
    </>
  );
}

function Foot({ list, shown }: { list: LineListProps['list']; shown: number }) {
  if (list.isFetchingNextPage) return <SkeletonRows rows={3} />;
  const text = list.hasNextPage
    ? ''
    : shown >= 5000
      ? 'The first 5,000. Narrow the time or the filter to see others.'
      : 'That is all.';
  return <p className="px-4 py-3 text-meta text-faint">{text}</p>;
}
