import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { failable, holds, operatorParameter } from '../common.ts';

const parameters = z.strictObject({
  metadataKeys: z.array(z.string().min(1).max(128)).min(1).max(100).describe('Keys of metadata.'),
  operator: operatorParameter('all').describe('How many of the keys the metadata is to have.'),
  ...failable,
});

export const requiredMetadataKeys = defineCheck({
  id: 'default.requiredMetadataKeys',
  description: 'Passes when the metadata of the call has all, any or none of the keys.',
  phases: ['input'],
  readsCallOnly: true,
  parameters,
  prepare({ metadataKeys, operator }) {
    const wanted = [...new Set(metadataKeys)];
    return ({ call }) => {
      const presentKeys = wanted.filter((key) => Object.hasOwn(call.metadata, key));
      return {
        verdict: holds(operator, presentKeys.length, wanted.length),
        data: { operator, presentKeys, missingKeys: wanted.filter((key) => !presentKeys.includes(key)) },
      };
    };
  },
});
