import type { CheckResult, HookResult } from '../../guardrails/engine/index.ts';
import type { Phase } from '../../guardrails/index.ts';
import { encodeGuardrails, type LoggedCheck, type LoggedGuardrail } from '../../recording/log/guardrails.ts';
import type { LegGuardrails } from './leg-guardrails.ts';

/** Results of guardrails that nobody waited for, once they are there. */
export type LateResults = readonly { phase: Phase; results: readonly HookResult[] }[];

/** What the log of a leg keeps of its guardrails. Data of checks may quote texts, and stay out of it. */
export function loggedGuardrails({ before, after, exempted }: LegGuardrails, late: LateResults): string {
  const waited = [
    { phase: 'input', results: before },
    { phase: 'output', results: after },
  ] as const;
  const ran = [...waited, ...late].flatMap(({ phase, results }) =>
    results.map((result) => logged(result, phase)),
  );
  return encodeGuardrails({ ran, exempted: [...exempted] });
}

const logged = (result: HookResult, phase: Phase): LoggedGuardrail => ({
  id: result.id,
  versionId: result.guardrail_version_id ?? null,
  phase,
  verdict: result.verdict,
  denied: result.deny,
  transformed: result.transformed,
  async: result.async,
  time: result.execution_time,
  createdAt: result.created_at,
  checks: result.checks.map((check) => loggedCheck(check, result.created_at)),
  feedback: result.feedback,
});

/** `since`: when its guardrail began. Most checks begin within the same millisecond, which has one text. */
const loggedCheck = (check: CheckResult, since: string): LoggedCheck => ({
  id: check.id,
  verdict: verdictOf(check),
  time: check.execution_time,
  ...(check.created_at !== since && { after: Date.parse(check.created_at) - Date.parse(since) }),
  ...(check.error && { error: check.error.name }),
});

function verdictOf({ error, verdict }: CheckResult): LoggedCheck['verdict'] {
  if (error) return error.name === 'Skipped' ? 'skipped' : 'error';
  return verdict ? 'passed' : 'failed';
}
