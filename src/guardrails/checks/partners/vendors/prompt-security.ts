import type { GuardrailCheck, Phase } from '../../../check.ts';
import { booleanOf, objectOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey, hostLabel } from '../shapes.ts';

const protect = (id: string, what: 'prompt' | 'response', phase: Phase): GuardrailCheck =>
  definePartner({
    id,
    description: `Passes when Prompt Security lets the ${what} through.`,
    phases: [phase],
    shape: { apiKey, apiDomain: hostLabel('The domain of your account.') },
    request: ({ text, parameters }) => ({
      url: `https://${parameters.apiDomain}/api/protect`,
      headers: { 'app-id': parameters.apiKey },
      body: { [what]: text },
    }),
    verdict(answer) {
      const { passed, violations } = objectOf(objectOf(objectOf(answer).result, 'result')[what], 'result');
      const named = Array.isArray(violations) ? violations.filter((one) => typeof one === 'string') : [];
      return { passes: booleanOf(passed, 'verdict'), reasons: named };
    },
  });

export const promptSecurity: readonly GuardrailCheck[] = [
  protect('promptsecurity.protectPrompt', 'prompt', 'input'),
  protect('promptsecurity.protectResponse', 'response', 'output'),
];
