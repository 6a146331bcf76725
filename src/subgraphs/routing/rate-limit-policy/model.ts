import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import type { StoredRateLimit } from '../../limits/stored.ts';
import { indexSorts } from '../../order.ts';
import { policyMembers, type StoredPolicy } from '../limit-policy/index.ts';

export type RateLimitPolicyDocument = StoredPolicy &
  Omit<StoredRateLimit, 'since' | 'unit'> & {
    unit: Exclude<StoredRateLimit['unit'], 'rps'>;
    target: 'llm' | 'mcp_tools';
  };

const schema = new Schema<RateLimitPolicyDocument>(
  {
    ...policyMembers,
    type: { type: String, required: true },
    unit: { type: String, required: true },
    value: { type: Number, required: true },
    target: { type: String, required: true },
    window: { type: String, default: null },
    enforcement: { type: String, default: null },
    waitMs: { type: Number, default: null },
    onStoreLoss: { type: String, default: null },
  },
  resourceSchema('rate_limit_policies'),
);
schema.index({ workspaceId: 1, status: 1, createdAt: 1 });
indexSorts(schema);
indexSorts(schema, 'workspace');

export const rateLimitPolicyModel = defineModel('RateLimitPolicy', schema);
