import { percent } from '../../../format/number.ts';
import { Section, Sparkline, Status, type Tone } from '../../../ui/index.ts';
import type { HomeQuery } from '../documents.ts';

type Group = NonNullable<HomeQuery['now']>['providers']['data'][number];

const toneOf = (successRate: number): Tone => (successRate >= 98 ? 'ok' : successRate >= 90 ? 'warn' : 'bad');

/** How each provider answers. */
export const Providers = ({ groups }: { groups: readonly Group[] }) => (
  <Section title="Providers, by their answers">
    <ul className="py-1">
      {groups.map(({ value, successRate, dataPoints }) => (
        <li key={value} className="flex min-h-8 items-center gap-3 px-4">
          <span className="mono min-w-0 flex-1 truncate">{value === null ? 'none' : `@${value}`}</span>
          <Sparkline
            values={dataPoints.map((point) => point.value)}
            title={`Errors of ${value ?? 'no provider'} over the time`}
            colour="bad"
            width={64}
            height={18}
          />
          <span className="w-20 text-right">
            <Status tone={toneOf(successRate)}>{percent(successRate / 100)}</Status>
          </span>
        </li>
      ))}
    </ul>
  </Section>
);
