import { performance } from 'node:perf_hooks';
import type { GuardedCheck, PreparedGuardrail } from '../prepare.ts';
import {
  blankCheckResult,
  type CheckResult,
  counts,
  type HookResult,
  hookResult,
  SKIPPED,
} from './results.ts';

/** One guardrail while its phase runs. */
export class GuardrailTurn {
  readonly guardrail: PreparedGuardrail;
  readonly #results = new Map<GuardedCheck, CheckResult>();
  readonly #createdAt = Date.now();
  readonly #startedAt = performance.now();
  #endedAt = this.#startedAt;
  #hasFailed = false;

  constructor(guardrail: PreparedGuardrail) {
    this.guardrail = guardrail;
  }

  /** Checks without a result, in their order. */
  get left(): readonly GuardedCheck[] {
    return this.guardrail.checks.filter((check) => !this.#results.has(check));
  }

  /** Whether a check has no result and may run now: where they run one after another, only the first of those left. */
  mayRun(check: GuardedCheck): boolean {
    if (this.#results.has(check)) return false;
    return (
      !this.guardrail.isSequential || this.guardrail.checks.find((one) => !this.#results.has(one)) === check
    );
  }

  /** Of a check that ran more than once, what it found counts before what it did not. */
  note(check: GuardedCheck, result: CheckResult): void {
    this.#endedAt = performance.now();
    // A later result of the same check hides no failure.
    this.#hasFailed ||= !counts(result);
    const known = this.#results.get(check);
    if (known === undefined) this.#results.set(check, result);
    else
      this.#results.set(check, {
        ...(counts(known) ? result : known),
        transformed: known.transformed || result.transformed,
        execution_time: known.execution_time + result.execution_time,
      });
  }

  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** It refuses the call by what is known so far. */
  get denies(): boolean {
    return this.guardrail.deny && !this.guardrail.isAsync && this.hasFailed;
  }

  result(): HookResult {
    const { guardrail } = this;
    const checks = guardrail.checks.map(
      (check) => this.#results.get(check) ?? { ...blankCheckResult(check, Date.now()), error: SKIPPED },
    );
    return hookResult(guardrail, checks, {
      executionTime: Math.round((this.#endedAt - this.#startedAt) * 100) / 100,
      createdAt: this.#createdAt,
      isDenied: this.denies,
    });
  }
}
