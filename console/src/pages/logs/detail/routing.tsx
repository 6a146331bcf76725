import { percent } from '../../../format/number.ts';
import { Status } from '../../../ui/index.ts';
import type { ShownLog } from './head.tsx';

type Step = ShownLog['routing'][number];

/** Why a target was taken, as people say it. */
function reasonOf({ reason, value }: Step): string {
  switch (reason) {
    case 'first':
      return 'it is the first that may be called';
    case 'fallback':
      return value === 0 ? 'the one before gave no answer' : `the one before answered ${value}`;
    case 'weight':
      return value !== null && value <= 1
        ? `drawn by its weight, ${percent(value)}`
        : `drawn by its weight, ${value}`;
    case 'sticky':
      return 'the caller has its place there';
    case 'condition':
      return `condition ${(value ?? 0) + 1} held`;
    case 'default':
      return 'no condition held';
    case 'only':
      return 'it is the only one of its group';
    case 'circuit_open':
      return 'its circuit breaker is open';
    case 'retry':
      return value === -1 ? 'asked again as often as was allowed' : `asked again ${value} times`;
  }
}

const tones = { taken: 'ok', skipped: 'warn', retried: 'info' } as const;

/** Why the call went where it went. */
export const Routing = ({ steps }: { steps: readonly Step[] }) => (
  <ol className="flex flex-col gap-1 px-4 py-4 sm:px-6">
    {steps.map((step, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: steps have no names, and do not move
      <li key={index} className="flex flex-wrap items-center gap-x-3">
        <span className="mono">{step.target}</span>
        <Status tone={tones[step.action]}>{step.action}</Status>
        <span className="text-muted">{reasonOf(step)}</span>
      </li>
    ))}
  </ol>
);
