import { useDocument } from '../../../data/use-document.ts';
import { type AttemptFragment, LogTraceDocument, type LogTraceQuery } from '../documents.ts';
import type { ShownLog } from './head.tsx';

/** Milliseconds before a trace that may not be whole is read again; they double each time. */
const FIRST_LOOK = 500;
/** Milliseconds after which nobody looks again: with all waits before, more than a call may take. */
const LAST_LOOK = 512_000;
/** Milliseconds after the beginning of an attempt in which another may still follow it. */
const CALL_LASTS = 900_000;

/**
 * The tries of the request of a log, oldest first. Whoever opens a log while its call goes on finds those that are stored so
 * far, and the others as they come.
 */
export function useAttempts(log: ShownLog): readonly AttemptFragment[] {
  const { data } = useDocument(
    LogTraceDocument,
    { traceId: log.traceId },
    { freshFor: 30_000, askAgain: (answer, answers) => waitFor(triesIn(answer, log), log, answers) },
  );
  return triesIn(data, log);
}

/** What is routed to one target has one try. */
function triesIn(trace: LogTraceQuery | undefined, log: ShownLog): readonly AttemptFragment[] {
  if (log.mode === 'single' || log.parentSpanId === null) return [log];
  const logs = trace?.logHistory?.data ?? [];
  const tries = logs.filter(({ parentSpanId }) => parentSpanId === log.parentSpanId);
  return tries.some(({ id }) => id === log.id) ? tries : [log];
}

/** No target is tried after one that answered; after a failure there may be another. */
function waitFor(tries: readonly AttemptFragment[], log: ShownLog, answers: number): number | null {
  const wait = FIRST_LOOK * 2 ** (answers - 1);
  const last = tries.at(-1);
  const isWhole = log.mode === 'single' || last === undefined || last.isSuccess;
  const isOld = last !== undefined && Date.now() - Date.parse(last.createdAt) > CALL_LASTS;
  return isWhole || isOld || wait > LAST_LOOK ? null : wait;
}
