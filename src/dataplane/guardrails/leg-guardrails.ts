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
  /** The body as the input guardrails left it; null where it is the caller's. */
  edited: RequestBody | null = null;
  /** The parameters of the config are in it: guardrails read what the provider gets. */
  hasParameters = false;
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

  /** Whether a guardrail changed the request. */
  get hasEdited(): boolean {
    return this.before.some(({ transformed }) => transformed);
  }

  get results(): { before_request_hooks: readonly HookResult[]; after_request_hooks: readonly HookResult[] } {
    return { before_request_hooks: this.before, after_request_hooks: this.after };
  }
}

/**
 * Config's, workspace's, organisation's. Of two uses of one stored guardrail the stricter one stays, and else the later one. What
 * is enforced always stays as it is: whoever writes a config may give any guardrail its id.
 */
export function effective(
  own: readonly PreparedGuardrail[],
  enforced: readonly PreparedGuardrail[],
): readonly PreparedGuardrail[] {
  if (own.length === 0) return enforced;
  if (own.length + enforced.length === 1) return own;
  const all = [...own, ...enforced];
  const isOutdone = (guardrail: PreparedGuardrail, at: number) =>
    all.some(
      (other, index) =>
        index !== at &&
        isSameVersion(other, guardrail) &&
        strictness(other) >= strictness(guardrail) + Number(index < at),
    );
  return all.filter((guardrail, at) => at >= own.length || !isOutdone(guardrail, at));
}

const isSameVersion = (one: PreparedGuardrail, other: PreparedGuardrail): boolean =>
  one.id === other.id && one.versionId !== null && one.versionId === other.versionId;

const strictness = ({ deny, isAsync }: PreparedGuardrail): number => Number(!isAsync) * 2 + Number(deny);

export const exemptedIn = ({ exempted }: EnforcedGuardrails): readonly string[] => [
  ...new Set([...exempted.input, ...exempted.output]),
];
