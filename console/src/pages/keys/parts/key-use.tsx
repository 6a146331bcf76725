import { money } from '../../../format/money.ts';
import { count, percent } from '../../../format/number.ts';
import { day } from '../../../format/time.ts';
import { useZone } from '../../../shell/stored.ts';
import { Bars, Figure, Section, useIsNarrow } from '../../../ui/index.ts';
import type { KeyShownQuery } from '../documents.ts';

/** What was called with a key in the last month. */
export function KeyUse({ use }: { use: NonNullable<KeyShownQuery['analytics']> }) {
  const [zone] = useZone();
  const isNarrow = useIsNarrow();
  const { requests, errors, cost } = use;
  const total = requests.summary.total;
  const bars = requests.dataPoints.map((point, index) => {
    const failed = errors.dataPoints[index]?.total ?? 0;
    return {
      at: Date.parse(point.timestamp),
      label: day(point.timestamp, zone),
      parts: [
        { name: 'Errors', value: failed, colour: 'bad' as const },
        { name: 'Successful', value: point.total - failed, colour: 1 as const },
      ],
    };
  });
  return (
    <Section title="The last 30 days">
      <div className="flex flex-col gap-4 p-4">
        <div className="grid grid-cols-3 gap-4">
          <Figure label="Requests" value={count(total)} />
          <Figure label="Errors" value={total === 0 ? '0' : percent(errors.summary.total / total)} />
          <Figure label="Cost" value={money(cost.summary.total)} />
        </div>
        <Bars
          bars={bars}
          height={isNarrow ? 72 : 96}
          format={count}
          title={`${count(total)} requests with this key in 30 days, ${count(errors.summary.total)} errors`}
        />
      </div>
    </Section>
  );
}
