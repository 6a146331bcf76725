import { z } from 'zod';
import { type CheckedCall, defineCheck } from '../../check.ts';
import { failable } from '../common.ts';
import { requestTypeList } from './request-types.ts';

const parameters = z.strictObject({
  allowedTypes: requestTypeList
    .optional()
    .describe('The types that pass, no other; metadata `supported_endpoints` where it is absent.'),
  blockedTypes: requestTypeList
    .optional()
    .describe('The types that fail; metadata `blocked_endpoints` where it is absent.'),
  ...failable,
});

export const allowedRequestTypes = defineCheck({
  id: 'default.allowedRequestTypes',
  description:
    'Passes when the type of the request is not blocked, and is allowed where there is such a list.',
  phases: ['input'],
  readsCallOnly: true,
  parameters,
  prepare({ allowedTypes, blockedTypes }) {
    requireApart(allowedTypes ?? [], blockedTypes ?? []);
    return ({ call }) => {
      const allowed = allowedTypes ?? listOf(call.metadata.supported_endpoints);
      const blocked = blockedTypes ?? listOf(call.metadata.blocked_endpoints);
      requireApart(allowed, blocked);
      const isListed = listedIn(call);
      const verdict = !blocked.some(isListed) && (allowed.length === 0 || allowed.some(isListed));
      return { verdict, data: { requestType: call.requestType } };
    };
  },
});

const listedIn =
  ({ requestType, isStream }: CheckedCall) =>
  (type: string) =>
    type === requestType || (isStream && type === `stream-${requestType}`);

/** A list in metadata, whose values are texts: parted by commas, or JSON. */
const listOf = (written = ''): string[] =>
  written
    .replaceAll(/[[\]"]/g, '')
    .split(',')
    .map((type) => type.trim())
    .filter((type) => type !== '');

function requireApart(allowed: readonly string[], blocked: readonly string[]): void {
  const both = allowed.find((type) => blocked.includes(type));
  if (both !== undefined) throw new Error(`${both} is both allowed and blocked`);
}
