import { money } from '../../../format/money.ts';
import { count, counted, percent } from '../../../format/number.ts';
import { dateAndTime, day, hourAndMinute, type Zone } from '../../../format/time.ts';
import { type Bar, Bars, Button, Status } from '../../../ui/index.ts';
import type { Chart } from './use-lines.ts';

const DAY_MS = 86_400_000;

type HistogramProps = {
  chart: Chart;
  /** What has come in since the chart was asked for. */
  arrived: { requests: number; errors: number; cost: number };
  zone: Zone;
  onZoom(from: number, to: number): void;
};

/** Requests over the time with failures as a red foot, and the sums beside it. Dragging chooses a time. */
export function Histogram({ chart, arrived, zone, onZoom }: HistogramProps) {
  const bars = barsOf(chart, zone);
  const step = (bars[1]?.at ?? 0) - (bars[0]?.at ?? 0) || 60_000;
  const requests = chart.requests.summary.total + arrived.requests;
  const errors = chart.errors.summary.total + arrived.errors;
  const cost = chart.cost.summary.total + arrived.cost;
  const share = requests === 0 ? 0 : errors / requests;
  return (
    <div className="flex flex-col gap-2 border-b border-line px-4 pb-3 sm:flex-row sm:items-end sm:gap-8 sm:px-6">
      <Bars
        className="min-w-0 flex-1"
        bars={bars}
        height={56}
        title={`${counted(requests, 'request')} over the time, ${counted(errors, 'error')}`}
        format={count}
        onChoose={(first, last) => onZoom(first.at, last.at + step - 1)}
      />
      <dl className="flex gap-6 sm:pb-5">
        <Sum name="Requests" value={count(requests)} />
        <div>
          <dt className="text-meta text-faint">Errors</dt>
          <dd className="text-lead font-[560]">
            {errors === 0 ? '0' : <Status tone="bad">{count(errors)}</Status>}
            {errors > 0 && <span className="pl-1.5 text-meta font-[400] text-muted">{percent(share)}</span>}
          </dd>
        </div>
        <Sum name="Cost" value={money(cost)} />
      </dl>
    </div>
  );
}

const Sum = ({ name, value }: { name: string; value: string }) => (
  <div>
    <dt className="text-meta text-faint">{name}</dt>
    <dd className="text-lead font-[560]">{value}</dd>
  </div>
);

function barsOf({ requests, errors }: Chart, zone: Zone): Bar[] {
  const points = requests.dataPoints;
  const step = Date.parse(points[1]?.timestamp ?? '') - Date.parse(points[0]?.timestamp ?? '');
  return points.map(({ timestamp, total }, index) => {
    const failed = errors.dataPoints[index]?.total ?? 0;
    return {
      at: Date.parse(timestamp),
      label:
        step >= DAY_MS
          ? day(timestamp, zone)
          : step >= DAY_MS / 24
            ? dateAndTime(timestamp, zone)
            : hourAndMinute(timestamp, zone),
      parts: [
        { name: 'Errors', value: failed, colour: 'bad' },
        { name: 'Successful', value: total - failed, colour: 1 },
      ],
    };
  });
}

/** In place of a chart for which every log of the time would have to be read. */
export const WaitingHistogram = ({ onAsk }: { onAsk(): void }) => (
  <div className="flex items-center gap-3 border-b border-line px-4 pb-3 text-muted sm:px-6">
    <p className="flex-1">The sums do not know this filter: a chart of it reads every log of the time.</p>
    <Button icon="spend" onClick={onAsk}>
      Draw it
    </Button>
  </div>
);
