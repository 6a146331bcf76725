import type { CheckResult, HookResult } from '../engine/index.ts';
import { counts } from '../engine/results.ts';

/** The results of guardrails that judged a stream piece by piece, as if they had judged it once. */
export class ResultSum {
  readonly #byId = new Map<string, HookResult>();

  add(results: readonly HookResult[]): void {
    for (const result of results) {
      const known = this.#byId.get(result.id);
      this.#byId.set(result.id, known ? together(known, result) : result);
    }
  }

  get results(): readonly HookResult[] {
    return [...this.#byId.values()];
  }

  get hasFailed(): boolean {
    return this.results.some(({ verdict }) => !verdict);
  }
}

function together(known: HookResult, later: HookResult): HookResult {
  const checks = known.checks.map((check, at) => bothOf(check, later.checks[at] ?? check));
  const worse = known.verdict ? later : known;
  return {
    ...worse,
    checks,
    transformed: known.transformed || later.transformed,
    execution_time: Math.round((known.execution_time + later.execution_time) * 100) / 100,
    created_at: known.created_at,
  };
}

const bothOf = (known: CheckResult, later: CheckResult): CheckResult => ({
  ...(counts(known) ? later : known),
  transformed: known.transformed || later.transformed,
  execution_time: Math.round((known.execution_time + later.execution_time) * 100) / 100,
});
