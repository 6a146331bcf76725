import { useCallback, useMemo, useRef, useState } from 'react';
import { useSearch } from '../../shell/address.ts';
import { useKeys } from '../../shell/keys.ts';
import { useRange } from '../../shell/range.ts';
import { useMay } from '../../shell/session/viewer.ts';
import { useZone } from '../../shell/stored.ts';
import { Banner, Button, Page, Select, say } from '../../ui/index.ts';
import { LogDetailPage } from './detail/detail.tsx';
import { ColumnChoice } from './parts/column-choice.tsx';
import { type ColumnName, columnNames } from './parts/columns.tsx';
import { ExportLogs } from './parts/export-logs.tsx';
import { FilterField } from './parts/filter-field.tsx';
import { Histogram, WaitingHistogram } from './parts/histogram.tsx';
import { LineList } from './parts/line-list.tsx';
import { type Order, useLines } from './parts/use-lines.ts';
import { useNames } from './parts/use-names.ts';
import { useTail } from './parts/use-tail.ts';
import { SavedViews } from './parts/view-menu.tsx';
import { buildFilters, needsNames } from './query/filters.ts';
import { readTerms, type Term, withTerm } from './query/terms.ts';

export { LogDetailPage as Detail };

const orders = [
  { value: 'newest', label: 'Newest first' },
  { value: 'cost', label: 'Costliest first', note: 'reads every log' },
  { value: 'slowest', label: 'Slowest first', note: 'reads every log' },
] as const;

/** What happened to a request, and is it happening now? */
export default function Logs() {
  const [search, change] = useSearch();
  const [zone] = useZone();
  const range = useRange();
  const field = useRef<HTMLInputElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [isAsked, setAsked] = useState(false);
  const [isFocused, setFocused] = useState(false);
  const [isAtTop, setAtTop] = useState(true);
  const text = search.q ?? '';
  const order = (search.order ?? 'newest') as Order;
  const columns = columnsOf(search.cols);

  const terms = useMemo(() => readTerms(text), [text]);
  const { names, suggestions } = useNames(isFocused || needsNames(terms), range.from);
  const built = useMemo(() => (names ? buildFilters(terms, names) : null), [terms, names]);
  const isFollowing = range.isOpen && order === 'newest' && search.live !== 'off';

  const { may: mayAnalyse } = useMay('analytics.view');
  const hasChart = mayAnalyse && built !== null && (!built.isScan || isAsked);
  const list = useLines({ filters: built?.filters ?? null, range, zone, order, hasChart });
  const { refetch } = list;
  const tail = useTail({
    filters: isFollowing ? (built?.filters ?? null) : null,
    isAtTop: isAtTop && search.log === undefined,
    onResume: useCallback(() => void refetch(), [refetch]),
    onError: (error) => say('The list does not follow any more', { tone: 'bad', detail: error.message }),
  });

  const toTop = () => {
    tail.show();
    scroller.current?.scrollTo({ top: 0 });
  };
  useKeys({
    '/': () => field.current?.focus(),
    '.': () => (tail.waiting > 0 ? toTop() : change({ live: isFollowing ? 'off' : null }, true)),
  });
  const lines = useMemo(() => {
    const seen = new Set(tail.shown.map(({ id }) => id));
    return [...tail.shown, ...list.lines.filter(({ id }) => !seen.has(id))];
  }, [tail.shown, list.lines]);
  const onText = (next: string) => change({ q: next || null, log: null });

  return (
    <Page
      title="Logs"
      isWhole
      actions={
        <>
          <Select
            label="Order"
            choices={orders}
            value={order}
            onChange={(value) => change({ order: value === 'newest' ? null : value })}
          />
          <SavedViews
            current={new URLSearchParams(search).toString()}
            onChoose={(query) =>
              change({ ...emptied(search), ...Object.fromEntries(new URLSearchParams(query)) })
            }
          />
          <ColumnChoice
            shown={columns}
            onChange={(shown) =>
              change({ cols: shown.length === columnNames.length ? null : shown.join(',') })
            }
          />
          <ExportLogs filters={built?.filters ?? null} range={range} />
        </>
      }
    >
      <div className="flex flex-wrap items-start gap-2 px-4 pb-3 sm:px-6">
        <FilterField
          field={field}
          value={text}
          onChange={onText}
          onFocus={() => setFocused(true)}
          suggestions={suggestions}
          problems={built?.problems ?? []}
        />
        {range.isOpen && order === 'newest' && (
          <Button
            aria-pressed={isFollowing}
            onClick={() => change({ live: isFollowing ? 'off' : null }, true)}
          >
            <span className={`size-2 rounded-full ${isFollowing ? 'bg-accent' : 'bg-strong'}`} />
            Live
          </Button>
        )}
      </div>
      {list.chart && <Histogram chart={list.chart} arrived={tail.sums} zone={zone} onZoom={range.zoom} />}
      {mayAnalyse && built?.isScan && !isAsked && !list.isError && (
        <WaitingHistogram onAsk={() => setAsked(true)} />
      )}
      {order !== 'newest' && (
        <div className="px-4 py-2 sm:px-6">
          <Banner tone="info">This order reads every log of the range.</Banner>
        </div>
      )}
      <LineList
        list={list}
        lines={lines}
        waiting={tail.waiting}
        onShow={toTop}
        columns={columns}
        scroller={scroller}
        onTop={setAtTop}
        onAdd={(term: Term) => onText(withTerm(text, term))}
        arrived={tail.shown}
      />
    </Page>
  );
}

function columnsOf(text = ''): readonly ColumnName[] {
  const chosen = columnNames.filter((name) => text.split(',').includes(name));
  return chosen.length > 0 ? chosen : columnNames;
}

const emptied = (search: Record<string, string>): Record<string, null> =>
  Object.fromEntries(Object.keys(search).map((name) => [name, null]));
