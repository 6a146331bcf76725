export { CheckBreakers } from './breaker.ts';
export { type CheckedBody, CheckedJson } from './checked-body.ts';
export type { CheckHouse } from './examine.ts';
export type { CheckResult, HookFeedback, HookResult } from './results.ts';
export { type Caller, type PhaseOutcome, type PhaseRun, runPhase } from './run-phase.ts';
