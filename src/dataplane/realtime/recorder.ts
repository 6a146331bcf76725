import { performance } from 'node:perf_hooks';
import { Capture } from '../../recording/log/answers/capture.ts';
import type { AttemptResult } from '../answer/settled.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { recordWithProvider } from '../record.ts';
import type { OpeningSession } from './connect-anew.ts';
import type { SessionGuards } from './guard/session-guards.ts';
import type { SessionReport } from './observer.ts';
import type { SessionEnding } from './relay.ts';

const SWITCHING_PROTOCOLS = 101;

/** What other legs have and a session has not. */
const unsent = {
  body: { content: null, value: null, changed: false, growth: 0 },
  translated: null,
  tap: null,
  cache: null,
};

const sound = { headers: {}, relayed: true, failure: null, cause: null, firstByte: null, defect: null };

/** What guardrails came to in a session. */
type Guarded = Awaited<ReturnType<SessionGuards['close']>>;

const UNGUARDED: Guarded = { guards: null, late: [] };

/** Writes the one log of a session: when it is over, or could not begin. */
export function recorderOf(session: OpeningSession, dependencies: DataplaneDependencies) {
  const startedAt = performance.now();
  const capture = new Capture(dependencies.maxLoggedBytes);
  const add = (status: number, result: Partial<AttemptResult>, guarded: Guarded = UNGUARDED) => {
    const { call, leaf, target, opening } = session;
    return recordWithProvider(
      { ...unsent, call, leaf, target, request: opening, startedAt, guards: guarded.guards },
      {
        result: { ...sound, status, ...result },
        status,
        capture,
        retryCount: 0,
        isMasked: false,
        relayed: true,
        endedAt: performance.now(),
      },
      dependencies,
      guarded.late,
    );
  };
  return {
    /** `cause`: null when the caller is gone. */
    failure(status: number, cause: Error | null): void {
      if (cause) add(status, { status: 0, failure: 'transport', cause });
      else add(status, { status: 0, failure: 'aborted' });
    },
    session({ by, code, reason }: SessionEnding, report: SessionReport, guarded: Guarded): void {
      capture.begin({ 'content-type': 'application/json' });
      capture.add(
        Buffer.from(JSON.stringify({ ...report, closed_by: by, close_code: code, close_reason: reason })),
      );
      if (reason === null) add(SWITCHING_PROTOCOLS, {}, guarded);
      else if (by === 'provider')
        add(SWITCHING_PROTOCOLS, { failure: 'transport', cause: new Error(reason) }, guarded);
      else add(SWITCHING_PROTOCOLS, { defect: reason }, guarded);
    },
  };
}
