import type { CompiledGuardrail, PreparedGuardrail } from './prepare.ts';

/** What is enforced on all calls of a workspace, in the order in which it is run: the workspace's own, the organisation's. */
export type EnforcedGuardrails = {
  readonly input: readonly PreparedGuardrail[];
  readonly output: readonly PreparedGuardrail[];
  /** Ids of the organisation's guardrails from which the workspace is exempt, by phase. */
  readonly exempted: { readonly input: readonly string[]; readonly output: readonly string[] };
  /** Ids of those that are enforced and cannot be run: gone, or broken. No call goes on with one of them. */
  readonly broken: readonly string[];
};

/** What is enforced where nobody has set anything. */
export const NOTHING_ENFORCED: EnforcedGuardrails = Object.freeze({
  input: [],
  output: [],
  exempted: { input: [], output: [] },
  broken: [],
});

/**
 * Guardrails in memory, for calls. A value in memory is answered without a promise. What is enforced stays the same object
 * until something in it changes.
 */
export type GuardrailLookup = {
  /** Null where nothing is enforced and nothing is exempted. */
  guardrailsOf(workspaceId: string): EnforcedGuardrails | null | Promise<EnforcedGuardrails | null>;
  /** One that configs of the workspace may name: its own, or its organisation's; null for none. */
  guardrailById(
    workspaceId: string,
    idOrSlug: string,
  ): CompiledGuardrail | null | Promise<CompiledGuardrail | null>;
};
