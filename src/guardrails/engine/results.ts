import type { GuardrailFeedback } from '../definition.ts';
import type { GuardedCheck, PreparedGuardrail } from '../prepare.ts';

/** What one check came to, as `hook_results` lists it. */
export type CheckResult = {
  data: unknown;
  verdict: boolean;
  id: string;
  /** Milliseconds. */
  execution_time: number;
  transformed: boolean;
  created_at: string;
  log: null;
  error?: { name: string; message: string };
  fail_on_error: boolean;
};

/** What one guardrail came to, as `hook_results` lists it. */
export type HookResult = {
  verdict: boolean;
  id: string;
  transformed: boolean;
  checks: CheckResult[];
  feedback: HookFeedback | null;
  /** Milliseconds. */
  execution_time: number;
  async: boolean;
  type: 'guardrail';
  created_at: string;
  /** True where it refused the call. */
  deny: boolean;
  /** Absent for one that is written in a config. */
  guardrail_version_id?: string;
};

export type HookFeedback = { value: number; weight: number; metadata: Record<string, string> };

/** A check that has not come to an end. */
export const SKIPPED = { name: 'Skipped', message: 'The call was refused before the check was over.' };

/** An errored check counts as passed unless it is told to fail. */
export const counts = ({ verdict, error, fail_on_error }: CheckResult): boolean =>
  error === undefined ? verdict : !fail_on_error || error === SKIPPED;

let lastMoment = 0;
let lastText = '';

/** The moment, in milliseconds since the epoch, as a text. Checks of one call mostly begin in one millisecond, and making the text takes as long as many checks. */
function textOf(now: number): string {
  if (now !== lastMoment) {
    lastMoment = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
}

export const blankCheckResult = (check: GuardedCheck, now: number): CheckResult => ({
  data: null,
  verdict: false,
  id: check.id,
  execution_time: 0,
  transformed: false,
  created_at: textOf(now),
  log: null,
  fail_on_error: check.failsOnError,
});

/** `checks`: of all its checks, in their order. */
export function hookResult(
  guardrail: PreparedGuardrail,
  checks: CheckResult[],
  { executionTime, createdAt, isDenied }: { executionTime: number; createdAt: number; isDenied: boolean },
): HookResult {
  const verdict = checks.every(counts);
  return {
    verdict,
    id: guardrail.id,
    transformed: checks.some(({ transformed }) => transformed),
    checks,
    feedback: feedbackOf(verdict ? guardrail.onSuccess : guardrail.onFail, checks),
    execution_time: executionTime,
    async: guardrail.isAsync,
    type: 'guardrail',
    created_at: textOf(createdAt),
    deny: isDenied,
    ...(guardrail.versionId !== null && { guardrail_version_id: guardrail.versionId }),
  };
}

function feedbackOf(feedback: GuardrailFeedback | null, checks: readonly CheckResult[]): HookFeedback | null {
  if (feedback === null) return null;
  const idsOf = (isOne: (check: CheckResult) => boolean) =>
    checks
      .filter(isOne)
      .map(({ id }) => id)
      .join(',');
  const { value, weight, metadata } = feedback;
  return {
    value,
    weight,
    metadata: {
      ...(typeof metadata === 'string' ? { note: metadata } : metadata),
      successfulChecks: idsOf(({ error, verdict }) => error === undefined && verdict),
      failedChecks: idsOf(({ error, verdict }) => error === undefined && !verdict),
      erroredChecks: idsOf(({ error }) => error !== undefined),
    },
  };
}
