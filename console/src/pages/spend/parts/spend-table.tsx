import { Link, useNavigate } from '@tanstack/react-router';
import { money } from '../../../format/money.ts';
import { change, count, NONE, percent, shortCount } from '../../../format/number.ts';
import { duration } from '../../../format/time.ts';
import { useSearch, useWorkspaceSlug } from '../../../shell/address.ts';
import { type Column, colourOf, Meter, Swatch, Table } from '../../../ui/index.ts';
import type { Door } from './dimension.ts';
import type { Row } from './rows.ts';

/** Groups that the chart tells apart. */
const SERIES = 5;

type SpendTableProps = {
  head: string;
  rows: readonly Row[];
  /** Whether the first rows are the series of the chart above. */
  hasSeries: boolean;
  /** Where the logs of a row are; null where they cannot be asked for. */
  doorOf(row: Row): Door | null;
};

/** Who spends what; a row leads to its logs. */
export function SpendTable({ head, rows, hasSeries, doorOf }: SpendTableProps) {
  const navigate = useNavigate();
  const slug = useWorkspaceSlug();
  const [{ range, from, to }] = useSearch();
  const open = (row: Row) => {
    const door = doorOf(row);
    if (door === null) return;
    const given = { range, from, to, q: 'filter' in door ? door.filter : undefined };
    const search = Object.fromEntries(Object.entries(given).filter(([, value]) => value));
    navigate({ to: `/${'workspace' in door ? door.workspace : slug}/logs`, search } as never);
  };
  const series = new Set(rows.slice(0, SERIES).map(({ value }) => value));
  const columns: Column<Row>[] = [
    {
      key: 'name',
      head,
      isMono: true,
      cell: ({ name, value }) => (
        <span className="flex items-center gap-2">
          {hasSeries && <Swatch colour={series.has(value) ? colourOf(name) : 'other'} />}
          {name}
        </span>
      ),
    },
    { key: 'share', head: 'Share', cell: (row) => <Share row={row} /> },
    { key: 'cost', head: 'Cost', align: 'end', cell: (row) => <Cost row={row} /> },
    { key: 'change', head: 'Change', align: 'end', cell: changeOf },
    { key: 'requests', head: 'Requests', align: 'end', cell: ({ requests }) => count(requests) },
    {
      key: 'tokens',
      head: 'Tokens',
      align: 'end',
      cell: ({ tokens }) => (tokens === null ? NONE : shortCount(tokens)),
    },
    {
      key: 'each',
      head: 'Per 1,000 requests',
      align: 'end',
      cell: ({ cost, requests, isUnpriced }) =>
        isUnpriced || requests === 0 ? NONE : money((cost / requests) * 1000),
    },
    { key: 'p95', head: 'p95', align: 'end', cell: ({ p95 }) => duration(p95) },
    { key: 'success', head: 'Success', align: 'end', cell: ({ success }) => percent(success) },
    { key: 'cache', head: 'Cache', align: 'end', cell: ({ cache }) => percent(cache) },
  ];
  return (
    <Table
      label={`Cost by ${head.toLowerCase()}`}
      columns={columns}
      rows={rows}
      keyOf={({ value, name }) => value ?? `(${name})`}
      onOpen={open}
      canOpen={(row) => doorOf(row) !== null}
      narrow={(row) => ({
        lead: <span className="mono">{row.name}</span>,
        side: row.isUnpriced ? 'unknown' : money(row.cost),
        meta: `${percent(row.share)} · ${count(row.requests)} requests`,
      })}
    />
  );
}

const changeOf = ({ cost, before }: Row): string => (before === null ? NONE : change(cost, before));

const Share = ({ row: { share, name } }: { row: Row }) => (
  <span className="flex items-center gap-2">
    <Meter share={share} label={`Share of ${name}`} />
    <span className="w-14 text-muted">{percent(share)}</span>
  </span>
);

/** What nobody knows is never shown as nothing. */
function Cost({ row: { cost, isUnpriced } }: { row: Row }) {
  const slug = useWorkspaceSlug();
  if (!isUnpriced) return money(cost);
  return (
    <span>
      unknown{' '}
      <Link to={`/${slug}/providers` as never} className="text-accent underline">
        Set a price
      </Link>
    </span>
  );
}
