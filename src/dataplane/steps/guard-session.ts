import { GatewayError } from '../../errors/index.ts';
import type { EnforcedGuardrails } from '../../guardrails/index.ts';
import { brokenGuardrail } from '../guardrails/denial.ts';
import type { CallStep } from './call-step.ts';

/**
 * The texts of a realtime session pass unread, so that a workspace has none where a guardrail is enforced that refuses what it
 * cannot read.
 */
export const guardSession: CallStep = ({ workspaceId }, { directory }) => {
  const found = directory.guardrailsOf(workspaceId);
  return found instanceof Promise ? found.then(requireUnguarded) : requireUnguarded(found);
};

function requireUnguarded(enforced: EnforcedGuardrails | null): undefined {
  if (enforced === null) return;
  const [broken] = enforced.broken;
  if (broken !== undefined) throw brokenGuardrail(broken);
  const strict = [...enforced.input, ...enforced.output].find(({ onUnreadable }) => onUnreadable === 'deny');
  if (strict)
    throw new GatewayError('GUARDRAIL_DENIED', {
      message: `The enforced guardrail ${strict.id} refuses what it cannot read, as the texts of a realtime session are.`,
    });
}
