import { Schema } from 'mongoose';
import type { Phase } from '../../../guardrails/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

export type GuardrailExclusionDocument = {
  _id: string;
  organisationId: string;
  /** Where the organisation's guardrails of the phase do not hold. */
  workspaceId: string;
  phase: Phase;
  excludedBy: string;
  createdAt: Date;
};

const schema = new Schema<GuardrailExclusionDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    phase: { type: String, required: true },
    excludedBy: { type: String, required: true },
  },
  {
    ...resourceSchema('guardrail_exclusions'),
    timestamps: { createdAt: 'createdAt', updatedAt: false },
  },
);
schema.index({ organisationId: 1, workspaceId: 1, phase: 1 }, { unique: true });
schema.index({ organisationId: 1, phase: 1, createdAt: -1, _id: -1 });
schema.index({ workspaceId: 1 });

export const guardrailExclusionModel = defineModel('GuardrailExclusion', schema);
