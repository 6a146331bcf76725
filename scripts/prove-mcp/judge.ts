import type { Outcome } from './client.ts';

export type Findings = {
  outcomes: readonly Outcome[];
  /** Times that the server was called, by the text of the call. */
  executed: ReadonlyMap<string, number>;
  /** Rows of the request log, by the same text. */
  logged: ReadonlyMap<string, number>;
};

/** What is not as it must be. */
export function faultsOf({ outcomes, executed, logged }: Findings): string[] {
  const faults: string[] = [];
  for (const outcome of outcomes) {
    const { mark, kind, maybeExecuted } = outcome;
    const times = executed.get(mark) ?? 0;
    const rows = logged.get(mark) ?? 0;
    if (kind === 'session lost') faults.push(`${mark}: its session was lost.`);
    if (kind === 'wrong answer') faults.push(`${mark}: it got the answer of another call.`);
    if (times > 1) faults.push(`${mark}: it was executed ${times} times.`);
    if (kind === 'answered' && times === 0) faults.push(`${mark}: it was answered and not executed.`);
    if (kind === 'refused' && !maybeExecuted && times > 0)
      faults.push(`${mark}: it was executed, and its caller was told that it was not.`);
    if (rows > 1) faults.push(`${mark}: the log has it ${rows} times.`);
    if (isWhole(outcome) && rows === 0) faults.push(`${mark}: the log does not have it.`);
  }
  return faults;
}

/** Whether a process has answered, which then has the call in its log. */
const isWhole = ({ kind }: Outcome): boolean => kind === 'answered' || kind === 'refused';
