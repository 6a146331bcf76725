import { guardrailsOf, passedOf } from '../../../checks/ran.ts';
import { duration } from '../../../format/time.ts';
import { useGo, useSearch } from '../../../shell/address.ts';
import { useKeys } from '../../../shell/keys.ts';
import { classes, Icon, Status, useIsNarrow } from '../../../ui/index.ts';
import type { AttemptFragment } from '../documents.ts';
import { keyOfLine, toneOf } from '../parts/line.ts';
import type { ShownLog } from './head.tsx';
import { useAttempts } from './use-attempts.ts';

/** The request as a picture: from the key through config, checks and cache to each target that was tried. */
export function Attempts({ log }: { log: ShownLog }) {
  const [search, change] = useSearch();
  const go = useGo();
  const isNarrow = useIsNarrow();
  const attempts = useAttempts(log);
  const place = attempts.findIndex(({ id }) => id === log.id);
  const open = (attempt: AttemptFragment | undefined) => {
    if (!attempt || attempt.id === log.id) return;
    if (isNarrow || search.log === undefined) go(`logs/${attempt.id}`);
    else change({ log: attempt.id }, true);
  };
  useKeys({ '[': () => open(attempts[place - 1]), ']': () => open(attempts[place + 1]) });
  const ran = guardrailsOf(log);
  const before = passedOf(ran, 'input');
  const after = passedOf(ran, 'output');
  return (
    <section aria-label="The way of the request" className="border-y border-line bg-sunken px-4 py-3 sm:px-6">
      <ol className="flex flex-wrap items-center gap-y-2">
        <Step name="key" value={keyOfLine(log)} />
        {log.configSlug && <Step name="config" value={log.config?.name ?? log.configSlug} />}
        {before && <Step name="checks" value={before} />}
        {log.cacheStatus !== 'DISABLED' && <Step name="cache" value={log.cacheStatus.toLowerCase()} />}
        {attempts.map((attempt, index) => (
          <li key={attempt.id} className="flex items-center">
            <Arrow />
            <button
              type="button"
              aria-current={attempt.id === log.id ? 'step' : undefined}
              onClick={() => open(attempt)}
              className={classes(
                'flex min-h-8 items-center gap-2 rounded-control border bg-surface px-2 transition-colors hover:bg-hover',
                attempt.id === log.id ? 'border-accent' : 'border-strong',
              )}
            >
              <span className="text-meta text-faint">{index + 1}</span>
              <span>
                {attempt.providerSlug ? `@${attempt.providerSlug}` : (attempt.aiProvider ?? 'gateway')}
              </span>
              <Status tone={toneOf(attempt)}>{attempt.responseStatusCode || 'none'}</Status>
              <span className="text-meta text-muted">{duration(attempt.responseTime)}</span>
            </button>
          </li>
        ))}
        {after && <Step name="checks" value={after} />}
      </ol>
      <Times log={log} attempts={attempts} />
    </section>
  );
}

const Arrow = () => (
  <span className="px-1 text-faint">
    <Icon name="right" size={12} />
  </span>
);

const Step = ({ name, value }: { name: string; value: string }) => (
  <li className="group flex items-center">
    <span className="group-first:hidden">
      <Arrow />
    </span>
    <span className="flex min-h-8 items-center gap-1.5 rounded-control border border-line bg-surface px-2">
      <span className="text-meta text-faint">{name}</span>
      {value}
    </span>
  </li>
);

/** Where the time went: one part for each attempt, the present one with its first token. */
function Times({ log, attempts }: { log: ShownLog; attempts: readonly AttemptFragment[] }) {
  const all = attempts.reduce((sum, { responseTime }) => sum + responseTime, 0) || 1;
  const own = log.gatewayProcessingTime;
  return (
    <div className="mt-3">
      <div className="flex h-2 gap-px overflow-hidden rounded-full bg-line" aria-hidden>
        {attempts.map((attempt) => (
          <span
            key={attempt.id}
            style={{ flexGrow: Math.max(attempt.responseTime / all, 0.01) }}
            className={classes(
              'relative basis-0',
              attempt.isSuccess ? 'bg-series-1' : 'bg-bad',
              attempt.id !== log.id && 'opacity-50',
            )}
          >
            {attempt.id === log.id && log.timeToFirstToken !== null && log.responseTime > 0 && (
              <span
                className="absolute inset-y-0 w-0.5 bg-surface"
                style={{ left: `${Math.min((log.timeToFirstToken / log.responseTime) * 100, 99)}%` }}
              />
            )}
          </span>
        ))}
      </div>
      <p className="mt-1 flex flex-wrap gap-x-4 text-meta text-muted">
        <span>{duration(log.responseTime)} in all</span>
        {log.timeToFirstToken !== null && <span>first token after {duration(log.timeToFirstToken)}</span>}
        {own !== null && <span>gateway {duration(own)}</span>}
        <span>provider {duration(log.upstreamResponseTime)}</span>
      </p>
    </div>
  );
}
