import { z } from 'zod';
import type { GuardrailCheck, Phase } from '../../../check.ts';
import { objectOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { apiKey } from '../shapes.ts';

const scanners = ['pii', 'prompt_injection', 'secrets', 'toxic_language', 'invisible_characters'] as const;

const scan = (id: string, what: string, phase: Phase): GuardrailCheck =>
  definePartner({
    id,
    description: `Passes when no scanner of Pillar Security finds anything in the ${what}.`,
    phases: [phase],
    shape: {
      apiKey,
      scanners: z.array(z.enum(scanners)).min(1).max(scanners.length).describe('What is looked for.'),
    },
    request: ({ text, parameters }) => ({
      url: `https://api.pillarseclabs.com/api/v1/scan/${what}`,
      headers: { authorization: `Bearer ${parameters.apiKey}` },
      body: {
        message: text,
        scanners: Object.fromEntries(parameters.scanners.map((scanner) => [scanner, true])),
      },
    }),
    verdict(answer, { parameters }) {
      const found = objectOf(answer);
      if (parameters.scanners.every((scanner) => found[scanner] === undefined))
        throw new Error('The service gave no result of a scanner.');
      const reasons = parameters.scanners.filter((scanner) => {
        const result = found[scanner];
        return result !== undefined && result !== null && result !== false;
      });
      return { passes: reasons.length === 0, reasons };
    },
  });

export const pillar: readonly GuardrailCheck[] = [
  scan('pillar.scanPrompt', 'prompt', 'input'),
  scan('pillar.scanResponse', 'response', 'output'),
];
