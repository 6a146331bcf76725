import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import type { StoredUsageLimit } from '../../limits/stored.ts';
import { indexSorts } from '../../order.ts';
import { policyMembers, type StoredPolicy } from '../limit-policy/index.ts';

/** Its limit was set when it was made. */
export type UsageLimitPolicyDocument = StoredPolicy & Omit<StoredUsageLimit, 'since'>;

/** As the graph has it. `isAlone`: it was asked for by itself, so that there is time for its counters. */
export type UsageLimitPolicyShown = UsageLimitPolicyDocument & { isAlone?: boolean };

const schema = new Schema<UsageLimitPolicyDocument>(
  {
    ...policyMembers,
    type: { type: String, required: true },
    creditLimit: { type: Number, required: true },
    alertThreshold: { type: Number, default: null },
    periodicReset: { type: String, default: null },
    periodicResetDays: { type: Number, default: null },
    nextUsageResetAt: { type: Date, default: null },
    lastResetAt: { type: Date, default: null },
    enforcement: { type: String, default: null },
    waitMs: { type: Number, default: null },
    unpriced: { type: String, default: null },
    onStoreLoss: { type: String, default: null },
    onCrash: { type: String, default: null },
    onAbort: { type: String, default: null },
  },
  resourceSchema('usage_limit_policies'),
);
schema.index({ workspaceId: 1, status: 1, createdAt: 1 });
indexSorts(schema);
indexSorts(schema, 'workspace');

export const usageLimitPolicyModel = defineModel('UsageLimitPolicy', schema);
