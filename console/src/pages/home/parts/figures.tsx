import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { money } from '../../../format/money.ts';
import { change, count, percent, shortCount } from '../../../format/number.ts';
import { duration } from '../../../format/time.ts';
import { type Search, useSearch, useWorkspaceSlug } from '../../../shell/address.ts';
import { Figure, Sparkline } from '../../../ui/index.ts';
import type { HomeQuery } from '../documents.ts';

/** The numbers of the time; each leads to the logs that make it. */
export function Figures({ answer: { now, before } }: { answer: HomeQuery }) {
  if (!now) return null;
  const { requests, errors, cost, latency, cacheHitRate, rescuedRequests } = now;
  const total = requests.summary.total;
  const share = total === 0 ? 0 : errors.summary.total / total;
  const { retry, fallback } = rescuedRequests.summary;
  return (
    <div className="grid grid-cols-2 gap-px overflow-hidden rounded-panel border border-line bg-line sm:grid-cols-3 xl:grid-cols-6">
      <Door>
        <Figure
          label="Requests"
          value={shortCount(total)}
          note={before ? change(total, before.requests.summary.total) : undefined}
          chart={
            <Course of={requests.dataPoints.map((point) => point.total)} title="Requests over the time" />
          }
        />
      </Door>
      <Door q="error:yes">
        <Figure
          label="Errors"
          value={percent(share)}
          note={`${count(errors.summary.total)} failed`}
          chart={
            <Sparkline
              values={errors.dataPoints.map((point) => point.total)}
              title="Errors over the time"
              colour="bad"
            />
          }
        />
      </Door>
      <Door>
        <Figure
          label="p50 / p99"
          value={`${duration(latency.summary.p50)} / ${duration(latency.summary.p99)}`}
          chart={
            <Course of={latency.dataPoints.map((point) => point.p50)} title="Median time over the time" />
          }
        />
      </Door>
      <Door page="spend">
        <Figure
          label="Cost"
          value={money(cost.summary.total)}
          note={before ? change(cost.summary.total, before.cost.summary.total) : undefined}
          chart={<Course of={cost.dataPoints.map((point) => point.total)} title="Cost over the time" />}
        />
      </Door>
      <Door q="cache:hit">
        <Figure
          label="Cache"
          value={percent(cacheHitRate.summary.rate / 100)}
          note="of those that asked for it"
        />
      </Door>
      <Door>
        <Figure
          label="Rescued"
          value={count(retry + fallback)}
          note={`${count(retry)} by retry, ${count(fallback)} by fallback`}
        />
      </Door>
    </div>
  );
}

const Course = ({ of, title }: { of: number[]; title: string }) => <Sparkline values={of} title={title} />;

/** A figure that leads to what it counts, in the same time. */
function Door({ page = 'logs', q, children }: { page?: string; q?: string; children: ReactNode }) {
  const [{ range, from, to }] = useSearch();
  const slug = useWorkspaceSlug();
  const search: Search = Object.fromEntries(
    Object.entries({ range, from, to, q }).filter((entry): entry is [string, string] => Boolean(entry[1])),
  );
  return (
    <Link
      to={`/${slug}/${page}` as never}
      search={search as never}
      className="min-w-0 bg-surface p-3 outline-offset-[-2px] transition-colors hover:bg-hover"
    >
      {children}
    </Link>
  );
}
