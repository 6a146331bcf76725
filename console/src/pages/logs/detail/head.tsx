import { useNavigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { Findings } from '../../../checks/findings.tsx';
import { guardrailsOf } from '../../../checks/ran.ts';
import { useOperation } from '../../../data/use-document.ts';
import { money } from '../../../format/money.ts';
import { duration, exactTime } from '../../../format/time.ts';
import { useHref } from '../../../shell/address.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { useZone } from '../../../shell/stored.ts';
import { Banner, Button, CopyButton, IconButton, Id, Status, say } from '../../../ui/index.ts';
import { LogShownDocument, type LogShownQuery, RateLogDocument } from '../documents.ts';
import { toneOf } from '../parts/line.ts';
import { curlOf } from './curl.ts';

export type ShownLog = NonNullable<LogShownQuery['log']>;

/** What was called, what came of it, and the ways to try it again. */
export function DetailHead({ log, close }: { log: ShownLog; close: ReactNode }) {
  const [zone] = useZone();
  const href = useHref();
  const path = log.requestUrl.replace(/^https?:\/\/[^/]+/, '');
  return (
    <header className="flex flex-col gap-2 px-4 pt-3 pb-3 sm:px-6">
      <div className="flex items-start gap-2">
        <h2 className="min-w-0 flex-1 truncate pt-1 text-lead font-[560]">
          {log.requestMethod} <span className="mono text-lead">{path}</span>
        </h2>
        <Rating log={log} />
        {close}
      </div>
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1">
        <Status tone={toneOf(log)}>{log.responseStatusCode || 'no answer'}</Status>
        <span className="mono">{log.aiModel ?? log.endpoint}</span>
        <span>{duration(log.responseTime)}</span>
        <span>{log.cost === null ? 'cost unknown' : money(log.cost)}</span>
        <time dateTime={log.createdAt} className="text-muted">
          {exactTime(log.createdAt, zone)}
        </time>
        {log.streamMode === 1 && <span className="text-muted">streamed</span>}
      </div>
      <div className="flex flex-wrap items-center gap-2 text-meta text-faint">
        log <Id>{log.id}</Id> trace <Id>{log.traceId}</Id>
        <span className="flex-1" />
        <Replay log={log} />
        <CopyButton label="Copy as curl" text={curlOf(log)} />
        <CopyButton label="Link" text={new URL(href(`logs/${log.id}`), document.baseURI).href} />
      </div>
      {log.error && <Banner tone="bad">{log.error}</Banner>}
      {log.refusal && (
        <Banner tone="warn">
          Refused by the limit of {log.refusal.level} {log.refusal.name}: {log.refusal.used} of{' '}
          {log.refusal.value} {log.refusal.unit === 'cost' ? 'dollars' : log.refusal.unit} were used.
        </Banner>
      )}
      <Findings ran={guardrailsOf(log)} />
    </header>
  );
}

function Rating({ log }: { log: ShownLog }) {
  const { may } = useMay('feedbacks.write');
  const rate = useOperation(RateLogDocument, {
    changes: [LogShownDocument.name],
    onDone: () => say('Your feedback is noted'),
  });
  const given = (log.feedback ?? []).map(({ value }) => value);
  if (!may) return null;
  const give = (value: number) => rate.mutate({ traceId: log.traceId, value });
  return (
    <>
      <IconButton
        icon="thumbUp"
        label="A good answer"
        aria-pressed={given.some((value) => value > 0)}
        onClick={() => give(1)}
      />
      <IconButton
        icon="thumbDown"
        label="A bad answer"
        aria-pressed={given.some((value) => value < 0)}
        onClick={() => give(-1)}
      />
    </>
  );
}

/** Brings the request into the playground, or says why it cannot be brought. */
function Replay({ log: { id, requestMethod, request, workspaceSlug } }: { log: ShownLog }) {
  const navigate = useNavigate();
  const isBody = typeof request?.body === 'object' && request.body !== null;
  const refusal =
    requestMethod !== 'POST' || !isBody
      ? 'There is no JSON body to send again.'
      : request.truncated
        ? 'Only the beginning of the body was stored.'
        : null;
  return (
    <Button
      icon="play"
      refusal={refusal}
      onClick={() => void navigate({ to: `/${workspaceSlug}/playground`, search: { log: id } } as never)}
    >
      Open in playground
    </Button>
  );
}
