import { Link } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Findings } from '../../../checks/findings.tsx';
import { useDocument } from '../../../data/use-document.ts';
import { money } from '../../../format/money.ts';
import { count } from '../../../format/number.ts';
import { duration } from '../../../format/time.ts';
import { useWorkspaceSlug } from '../../../shell/address.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Banner, Status } from '../../../ui/index.ts';
import { PlaygroundLogDocument } from '../documents.ts';
import type { Run } from './use-run.ts';

/** What an answer took and cost, from its log. */
export function Outcome({ run }: { run: Run }) {
  const { ended, checks, firstText, isRunning, problem } = run;
  if (isRunning)
    return <p className="text-meta text-muted">{firstText === null ? 'Waiting …' : 'Streaming …'}</p>;
  if (problem) return <Banner tone="warn">{problem}</Banner>;
  if (!ended) return null;
  return (
    <div className="flex flex-col gap-2">
      {ended.error && <Banner tone="bad">{ended.error}</Banner>}
      <Findings ran={checks} />
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-meta text-muted">
        <Status tone={ended.status < 400 ? 'ok' : 'bad'}>{ended.status}</Status>
        <span>{duration(ended.milliseconds)}</span>
        {firstText !== null && <span>first text {duration(firstText)}</span>}
        {ended.trace && <Cost trace={ended.trace} />}
      </div>
    </div>
  );
}

/** Milliseconds between two looks for a log, which is written after its answer, and the looks that are taken. */
const PAUSE_MS = 400;
const MOST_LOOKS = 25;

function Cost({ trace }: { trace: string }) {
  const { may } = useMay('logs.list');
  const slug = useWorkspaceSlug();
  const [looks, setLooks] = useState(0);
  const { data, refetch } = useDocument(PlaygroundLogDocument, { trace }, { isEnabled: may });
  const log = data?.logHistory?.data[0];
  useEffect(() => {
    if (!may || log || looks >= MOST_LOOKS) return;
    const timer = setTimeout(() => void refetch().then(() => setLooks((before) => before + 1)), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [may, log, looks, refetch]);
  if (!log) return null;
  return (
    <>
      <span>
        {count(log.promptTokens)} in, {count(log.completionTokens)} out
      </span>
      <span>{log.cost === null ? 'cost unknown' : money(log.cost)}</span>
      <span>
        @{log.providerSlug} {log.aiModel}
      </span>
      <Link to={`/${slug}/logs/${log.id}` as never} className="text-accent underline">
        Log
      </Link>
    </>
  );
}
