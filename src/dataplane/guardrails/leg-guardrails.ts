import type { HookResult } from '../../guardrails/engine/index.ts';
import type { EnforcedGuardrails, Phase, PreparedGuardrail } from '../../guardrails/index.ts';
import type { Placeholders } from '../../guardrails/segments/index.ts';
import type { RequestBody } from '../call/call.ts';

/** The guardrails of a leg, and what they came to so far. */
export class LegGuardrails {
  /** Of the config, the workspace and the organisation, in this order. */
  readonly input: readonly PreparedGuardrail[];
  readonly output: readonly PreparedGuardrail[];
  /** Ids of the organisation's guardrails from which the workspace is exempt. */
  readonly exempted: readonly string[];
  readonly placeholders: Placeholders;
  /** Of the input: results of the guardrails that the call waited for. */
  before: readonly HookResult[] = [];
  /** Of the output of the last attempt. */
  after: readonly HookResult[] = [];
  /** What checks of the input give the provider to know. */
  headers: Readonly<Record<string, string>> = {};
  /** An input guardrail failed and did not refuse. */
  hasFailed = false;
  /** The body as the input guardrails left it; null where they changed nothing. */
  edited: RequestBody | null = null;
  /** Guardrails that nobody waits for. */
  readonly later: { phase: Phase; results: Promise<readonly HookResult[]> }[] = [];

  constructor(
    lists: Record<Phase, readonly PreparedGuardrail[]>,
    exempted: readonly string[],
    placeholders: Placeholders,
  ) {
    this.input = lists.input;
    this.output = lists.output;
    this.exempted = exempted;
    this.placeholders = placeholders;
  }

  get results(): { before_request_hooks: readonly HookResult[]; after_request_hooks: readonly HookResult[] } {
    return { before_request_hooks: this.before, after_request_hooks: this.after };
  }
}

/** Config's, workspace's, organisation's; of two with the same id the stricter one. */
export function effective(
  own: readonly PreparedGuardrail[],
  enforced: readonly PreparedGuardrail[],
): readonly PreparedGuardrail[] {
  if (enforced.length === 0) return own;
  const byId = new Map<string, PreparedGuardrail>();
  for (const guardrail of [...own, ...enforced]) {
    const known = byId.get(guardrail.id);
    // The later one keeps its place: what is enforced has the last word.
    if (known && strictness(known) > strictness(guardrail)) continue;
    byId.delete(guardrail.id);
    byId.set(guardrail.id, guardrail);
  }
  return [...byId.values()];
}

const strictness = ({ deny, isAsync }: PreparedGuardrail): number => Number(!isAsync) * 2 + Number(deny);

export const exemptedIn = ({ exempted }: EnforcedGuardrails): readonly string[] => [
  ...new Set([...exempted.input, ...exempted.output]),
];
