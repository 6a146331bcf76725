import { useState } from 'react';
import { useOperation } from '../../../data/use-document.ts';
import { counted } from '../../../format/number.ts';
import { clock, duration } from '../../../format/time.ts';
import { useZone } from '../../../shell/stored.ts';
import { Banner, Button, Code, Section, Status, TextArea, type Tone } from '../../../ui/index.ts';
import { AnswerToolsDocument, CancelRunDocument, ThreadShownDocument } from '../documents.ts';
import { awaitedCalls, calledIn, isOpen, type Run, type Step } from './thread.ts';
import { TraceLink } from './trace-link.tsx';

const tones: Readonly<Record<string, Tone>> = {
  completed: 'ok',
  failed: 'bad',
  expired: 'bad',
  incomplete: 'warn',
  requires_action: 'warn',
  cancelled: 'none',
};

const changes = [ThreadShownDocument.name];

/** A run with its steps, in the order in which they were taken. */
export function Timeline({ thread, run }: { thread: string; run: Run }) {
  const cancel = useOperation(CancelRunDocument, { changes });
  const [zone] = useZone();
  const { status, usage, lastError, startedAt, takenOverAt, completedAt, traceId, model } = run;
  return (
    <Section
      title={`Run with ${model}`}
      actions={
        <>
          <Status tone={tones[status] ?? 'info'}>{status.replace('_', ' ')}</Status>
          {isOpen(run) && (
            <Button isBusy={cancel.isPending} onClick={() => cancel.mutate({ thread, run: run.id })}>
              Cancel the run
            </Button>
          )}
        </>
      }
    >
      <div className="flex flex-col gap-3 p-4">
        {lastError && <Banner tone="bad">{lastError.message}</Banner>}
        {takenOverAt !== null && (
          <Banner tone="info">
            The process that executed it died. Another one took it over at {clock(takenOverAt * 1000, zone)},
            and began its last turn anew.
          </Banner>
        )}
        {cancel.error && <Banner tone="bad">{cancel.error.message}</Banner>}
        <ol className="flex flex-col gap-2">
          {run.steps.map((step) => (
            <StepLine key={step.id} step={step} />
          ))}
        </ol>
        {awaitedCalls(run).length > 0 && <Outputs thread={thread} run={run} />}
        <p className="flex flex-wrap gap-x-3 text-meta text-muted">
          {usage && <span>{counted(usage.promptTokens + usage.completionTokens, 'token')}</span>}
          {startedAt !== null && completedAt !== null && (
            <span>{duration((completedAt - startedAt) * 1000)}</span>
          )}
          <TraceLink id={traceId} />
        </p>
      </div>
    </Section>
  );
}

function StepLine({ step }: { step: Step }) {
  const calls = calledIn(step);
  return (
    <li className="flex flex-col gap-1">
      <span className="flex flex-wrap items-center gap-x-3">
        <Status tone={tones[step.status] ?? 'info'}>{step.status.replace('_', ' ')}</Status>
        <span>
          {step.type === 'message_creation' ? 'wrote a message' : `called ${counted(calls.length, 'tool')}`}
        </span>
        {step.usage && <span className="text-muted">{counted(step.usage.totalTokens, 'token')}</span>}
      </span>
      {calls.map((call) => (
        <Code key={call.id} label={`call of ${call.name}`} text={`${call.name}(${call.arguments})`} />
      ))}
      {step.lastError && <span className="text-bad">{step.lastError.message}</span>}
    </li>
  );
}

/** What the functions of the caller gave, written by hand. */
function Outputs({ thread, run }: { thread: string; run: Run }) {
  const [outputs, setOutputs] = useState<Readonly<Record<string, string>>>({});
  const answer = useOperation(AnswerToolsDocument, { changes });
  const calls = awaitedCalls(run);
  return (
    <form
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        const toolOutputs = calls.map(({ id }) => ({ toolCallId: id, output: outputs[id] ?? '' }));
        answer.mutate({ thread, run: run.id, input: { toolOutputs } });
      }}
    >
      {calls.map(({ id, name, arguments: given }) => (
        <TextArea
          key={id}
          label={`Output of ${name}`}
          hint={`It was called with ${given}`}
          isMono
          value={outputs[id] ?? ''}
          onChange={({ target }) => setOutputs({ ...outputs, [id]: target.value })}
        />
      ))}
      {answer.error && <Banner tone="bad">{answer.error.message}</Banner>}
      <Button type="submit" look="primary" className="self-start" isBusy={answer.isPending}>
        Go on with it
      </Button>
    </form>
  );
}
