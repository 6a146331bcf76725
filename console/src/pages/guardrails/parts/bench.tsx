import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { duration } from '../../../format/time.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Banner, Button, Code, Section, Segments, Status, TextArea } from '../../../ui/index.ts';
import {
  type GuardrailPhase,
  type TestGuardrailsInput,
  TryGuardrailsDocument,
  type TryGuardrailsQuery,
} from '../documents.ts';

type BenchProps = {
  /** What the text is checked by: what is enforced, where nothing is named. */
  against: Pick<TestGuardrailsInput, 'guardrailIds' | 'checks' | 'actions'>;
  workspace: string;
  /** Why it cannot be tried yet. */
  missing?: string | null;
};

/** A text, and what guardrails make of it. No model is asked, and nothing is stored. */
export function Bench({ against, workspace, missing = null }: BenchProps) {
  const [text, setText] = useState('');
  const [phase, setPhase] = useState<GuardrailPhase>('input');
  const { refusal } = useMay('guardrails.invoke');
  const tried = useOperation(TryGuardrailsDocument);
  const result = tried.data?.testGuardrails;
  return (
    <Section title="Try it">
      <div className="flex flex-col gap-3 p-4">
        <Segments<GuardrailPhase>
          label="Direction"
          choices={{ input: 'Sent to a model', output: 'Answered by one' }}
          value={phase}
          onChange={setPhase}
        />
        <TextArea
          label="Text"
          rows={4}
          maxLength={100_000}
          value={text}
          onChange={({ target }) => setText(target.value)}
          hint="Nothing of it is stored or logged."
        />
        <Button
          look="primary"
          className="self-start"
          refusal={refusal ?? missing ?? (text.trim() === '' ? 'Write a text.' : null)}
          isBusy={tried.isPending}
          onClick={() => tried.mutate({ input: { ...against, text, phase, workspaceId: workspace } })}
        >
          Try
        </Button>
        {tried.error && <Banner tone="bad">{tried.error.message}</Banner>}
        {result && <Verdict of={result} given={text} />}
      </div>
    </Section>
  );
}

type Result = NonNullable<TryGuardrailsQuery['testGuardrails']>;
type CheckResult = {
  id: string;
  verdict: boolean;
  execution_time: number;
  error?: { message: string } | null;
};
type HookResults = Record<'before_request_hooks' | 'after_request_hooks', { checks: CheckResult[] }[]>;

function Verdict({
  of: { verdict, denied, status, hookResults, text },
  given,
}: {
  of: Result;
  given: string;
}) {
  const hooks = hookResults as HookResults;
  const checks = [...hooks.before_request_hooks, ...hooks.after_request_hooks].flatMap((hook) => hook.checks);
  return (
    <div role="status" className="flex flex-col gap-2">
      <Status tone={denied ? 'bad' : verdict ? 'ok' : 'warn'}>
        {denied
          ? `Refused with ${status}`
          : verdict
            ? 'It passes'
            : `It fails, and goes on: answered with ${status}`}
      </Status>
      <ul>
        {checks.map(({ id, verdict: passed, execution_time, error }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a check may come twice, and has no other name
          <li key={index} className="flex min-h-6 flex-wrap items-center gap-3">
            <Status tone={error ? 'warn' : passed ? 'ok' : 'bad'}>
              {error ? 'error' : passed ? 'passed' : 'failed'}
            </Status>
            <span className="mono">{id}</span>
            <span className="text-muted">{error?.message ?? duration(execution_time)}</span>
          </li>
        ))}
      </ul>
      {checks.length === 0 && <p className="text-muted">Nothing looked at it.</p>}
      {text !== null && text !== given && <Code label="text as it would go on" text={text} />}
    </div>
  );
}
