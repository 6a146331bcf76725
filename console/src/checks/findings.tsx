import { useDocument } from '../data/use-document.ts';
import { duration } from '../format/time.ts';
import { Banner, Status } from '../ui/index.ts';
import { GuardrailCheckKindsDocument } from './documents.ts';
import type { CheckRan, GuardrailRan } from './ran.ts';

const tones = { passed: 'ok', failed: 'bad', error: 'warn', skipped: 'none' } as const;

/** What a guardrail did to the call, in words. */
function outcomeOf({ verdict, denied, transformed, async }: GuardrailRan): string {
  if (denied) return 'refused the call';
  if (!verdict) return async ? 'failed, which nobody waited for' : 'failed, and let the call through';
  return transformed ? 'passed, and changed the text' : 'passed';
}

const sideOf = ({ phase }: GuardrailRan): string =>
  phase === 'input' ? 'what was sent to the model' : 'what the model answered';

/** By the id of a kind of check, when it passes. */
function useSentences(isEnabled: boolean): ReadonlyMap<string, string> {
  const { data } = useDocument(GuardrailCheckKindsDocument, {}, { freshFor: 3_600_000, isEnabled });
  return new Map(data?.guardrailChecks?.map(({ id, description }) => [id, description]));
}

/** Guardrails that refused the call or warned of it: which check, and why. */
export function Findings({ ran }: { ran: readonly GuardrailRan[] }) {
  const failed = ran.filter(({ verdict }) => !verdict);
  const sentences = useSentences(failed.length > 0);
  return failed.map((one) => (
    <Banner key={`${one.id} ${one.phase}`} tone={one.denied ? 'bad' : 'warn'}>
      <p>
        Guardrail <span className="mono">{one.id}</span> {outcomeOf(one)}. It looked at {sideOf(one)}.
      </p>
      <CheckList
        checks={one.checks.filter(({ verdict }) => verdict === 'failed' || verdict === 'error')}
        sentences={sentences}
      />
    </Banner>
  ));
}

/** All guardrails that looked at the call, with each of their checks. */
export function Checks({ ran }: { ran: readonly GuardrailRan[] }) {
  const sentences = useSentences(true);
  return (
    <div className="flex flex-col gap-4 px-4 py-4 sm:px-6">
      {ran.map((one) => (
        <section key={`${one.id} ${one.phase}`}>
          <h3 className="mb-1 font-[560]">
            <span className="mono">{one.id}</span> {outcomeOf(one)}
          </h3>
          <p className="text-meta text-muted">It looked at {sideOf(one)}.</p>
          <CheckList checks={one.checks} sentences={sentences} />
        </section>
      ))}
    </div>
  );
}

type CheckListProps = { checks: readonly CheckRan[]; sentences: ReadonlyMap<string, string> };

const CheckList = ({ checks, sentences }: CheckListProps) => (
  <ul className="flex flex-col gap-1">
    {checks.map(({ id, verdict, time, found }, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a check may come twice, and has no other name
      <li key={index} className="flex flex-wrap items-baseline gap-x-3">
        <Status tone={tones[verdict]}>{verdict}</Status>
        <span className="mono">{id}</span>
        <span className="text-meta text-muted">{duration(time)}</span>
        {sentences.has(id) && <span className="text-muted">{sentences.get(id)}</span>}
        {found !== null && <span className="min-w-0 break-words">{found}</span>}
      </li>
    ))}
  </ul>
);
