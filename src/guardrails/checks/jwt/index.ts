import { type CheckFinding, type CheckInput, defineCheck } from '../../check.ts';
import { claimHeaders, claimRules } from './claims.ts';
import { mismatch, tokenJudge } from './judge.ts';
import { jwtParameters } from './parameters.ts';

export const jwt = defineCheck({
  id: 'default.jwt',
  description: 'Passes when a header holds a token with the right signature, age and claims.',
  phases: ['input'],
  readsCallOnly: true,
  isRemote: true,
  parameters: jwtParameters,
  prepare(wanted) {
    const judge = tokenJudge(wanted);
    const rule = claimRules(wanted);
    return async (input, services) => {
      const token = tokenOf(input, wanted.headerKey);
      if (token === null) return failed('There is no token.');
      const judged = await judge(token, input, services);
      if ('reason' in judged) return failed(judged.reason);
      const reason = rule(judged.claims) ?? mismatch(judged, wanted.headerPayloadMatch);
      if (reason !== null) return failed(reason);
      return { verdict: true, data: {}, headers: claimHeaders(judged.claims, wanted) };
    };
  },
});

const failed = (explanation: string): CheckFinding => ({ verdict: false, data: { explanation } });

function tokenOf({ call: { headers } }: CheckInput, headerKey: string): string | null {
  const [value = ''] = [headers[headerKey.toLowerCase()] ?? []].flat();
  const token = value.replace(/^Bearer\s+/i, '').trim();
  return token === '' ? null : token;
}
