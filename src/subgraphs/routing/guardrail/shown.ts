import type { CheckEntry, GuardrailActions as WrittenActions } from '../../../guardrails/index.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import type { GuardrailActions, GuardrailCheck, GuardrailConsequence } from '../../types.generated.ts';
import { maskChecks } from './sealing.ts';

/** Checks as the graph answers them. */
export const shownChecks = (
  checks: readonly CheckEntry[],
  secrets: Secrets,
  guardrailId: string,
): GuardrailCheck[] =>
  maskChecks(checks, secrets, guardrailId).map(({ id, name, parameters, is_enabled: isEnabled }) => ({
    id,
    name: name ?? null,
    parameters,
    isEnabled,
  }));

/** Actions as the graph answers them. */
export const shownActions = (actions: WrittenActions): GuardrailActions => ({
  deny: actions.deny,
  async: actions.async,
  sequential: actions.sequential,
  softDeny_200: actions.soft_deny_200,
  onSuccess: shownConsequence(actions.on_success),
  onFail: shownConsequence(actions.on_fail),
  scope: actions.scope ?? null,
  stream: actions.stream ?? null,
  onUnreadable: actions.on_unreadable ?? null,
});

const shownConsequence = (consequence: WrittenActions['on_fail']): GuardrailConsequence | null =>
  consequence
    ? {
        feedback: consequence.feedback
          ? { ...consequence.feedback, metadata: consequence.feedback.metadata ?? null }
          : null,
      }
    : null;
