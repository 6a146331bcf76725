import { money } from '../../../format/money.ts';
import { count, NONE } from '../../../format/number.ts';
import { clock, day, duration, type Zone } from '../../../format/time.ts';
import { type Column, Status } from '../../../ui/index.ts';
import { type AddTerm, FilterCell } from './filter-cell.tsx';
import { keyOfLine, type Line, routeOf, toneOf } from './line.ts';

const timeOf = (line: Line, zone: Zone, hasDays: boolean): string =>
  hasDays ? `${day(line.createdAt, zone)} ${clock(line.createdAt, zone)}` : clock(line.createdAt, zone);

export type ColumnName = (typeof columnNames)[number];

export const columnNames = [
  'time',
  'status',
  'model',
  'provider',
  'key',
  'path',
  'ms',
  'ttft',
  'tokens',
  'cost',
  'route',
  'cache',
] as const;

type ColumnOptions = { zone: Zone; hasDays: boolean; onAdd: AddTerm };

/** The columns of the list of logs, in the order in which they are shown. */
export function columnsFor({ zone, hasDays, onAdd }: ColumnOptions): (Column<Line> & { key: ColumnName })[] {
  return [
    {
      key: 'time',
      head: 'Time',
      width: hasDays ? '176px' : '128px',
      isMono: true,
      cell: (line) => <time dateTime={line.createdAt}>{timeOf(line, zone, hasDays)}</time>,
    },
    {
      key: 'status',
      head: 'Status',
      width: '72px',
      cell: (line) => (
        <FilterCell field="status" value={String(line.responseStatusCode)} onAdd={onAdd}>
          <Status tone={toneOf(line)}>{line.responseStatusCode || 'none'}</Status>
        </FilterCell>
      ),
    },
    {
      key: 'model',
      head: 'Model',
      width: 'minmax(140px, 1.6fr)',
      isMono: true,
      cell: ({ aiModel }) =>
        aiModel ? (
          <FilterCell field="model" value={aiModel} onAdd={onAdd}>
            {aiModel}
          </FilterCell>
        ) : (
          <span className="text-faint">{NONE}</span>
        ),
    },
    {
      key: 'provider',
      head: 'Provider',
      width: 'minmax(96px, 1fr)',
      cell: ({ providerSlug, aiProvider }) =>
        providerSlug ? (
          <FilterCell field="provider" value={providerSlug} onAdd={onAdd}>
            @{providerSlug}
          </FilterCell>
        ) : (
          <span className="text-faint">{aiProvider ?? NONE}</span>
        ),
    },
    {
      key: 'key',
      head: 'Key',
      width: 'minmax(96px, 1fr)',
      cell: (line) => (
        <FilterCell field="key" value={line.apiKey?.name ?? line.apiKeyId} onAdd={onAdd}>
          {keyOfLine(line)}
        </FilterCell>
      ),
    },
    {
      key: 'path',
      head: 'Path',
      width: 'minmax(92px, 0.8fr)',
      cell: ({ endpoint }) => (
        <FilterCell field="path" value={endpoint} onAdd={onAdd}>
          <span className="text-muted">{endpoint === 'chatComplete' ? 'chat' : endpoint}</span>
        </FilterCell>
      ),
    },
    {
      key: 'ms',
      head: 'Duration',
      width: '80px',
      align: 'end',
      cell: ({ responseTime }) => duration(responseTime),
    },
    {
      key: 'ttft',
      head: 'First token',
      width: '84px',
      align: 'end',
      cell: ({ timeToFirstToken }) => <span className="text-muted">{duration(timeToFirstToken)}</span>,
    },
    {
      key: 'tokens',
      head: 'Tokens in / out',
      width: '112px',
      align: 'end',
      cell: ({ promptTokens, completionTokens }) =>
        promptTokens === null && completionTokens === null
          ? NONE
          : `${count(promptTokens)} / ${count(completionTokens)}`,
    },
    {
      key: 'cost',
      head: 'Cost',
      width: '92px',
      align: 'end',
      cell: ({ cost }) => (cost === null ? <span className="text-faint">unknown</span> : money(cost)),
    },
    { key: 'route', head: 'Route', width: '64px', cell: (line) => <RouteSign line={line} /> },
    {
      key: 'cache',
      head: 'Cache',
      width: '104px',
      cell: ({ cacheStatus }) =>
        cacheStatus === 'DISABLED' ? (
          <span className="text-faint">{NONE}</span>
        ) : (
          <FilterCell field="cache" value={cacheStatus.toLowerCase().replace(' ', '_')} onAdd={onAdd}>
            <span className={cacheStatus.includes('HIT') ? 'text-ok' : 'text-muted'}>
              {cacheStatus.toLowerCase()}
            </span>
          </FilterCell>
        ),
    },
  ];
}

function RouteSign({ line }: { line: Line }) {
  const route = routeOf(line);
  return <span className={line.isSuccess ? 'text-muted' : 'text-bad'}>{route || NONE}</span>;
}
