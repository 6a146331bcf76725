import { Schema } from 'mongoose';
import type { RunDocument } from '../../../runs/run.ts';
import { defineModel } from '../../../storage/model.ts';

const schema = new Schema<RunDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    threadId: { type: String, required: true },
    assistantId: { type: String, required: true },
    createdAt: { type: Date, required: true },
    sealedCaller: String,
  },
  {
    collection: 'runs',
    strict: false,
    versionKey: false,
    minimize: false,
    id: false,
    autoIndex: false,
    autoCreate: false,
  },
);
// Of the runs of a thread one at most has not ended, whoever makes them, and wherever.
schema.index(
  { threadId: 1 },
  { name: 'one_active', unique: true, partialFilterExpression: { active: true } },
);
schema.index({ threadId: 1, createdAt: -1, _id: -1 });
// The engine looks for runs that have not ended: those that have would only make these indexes large.
const ofActive = (name: string) => ({ name, partialFilterExpression: { active: true } });
schema.index({ owner: 1, status: 1 }, ofActive('active_by_owner'));
schema.index({ status: 1, workspaceId: 1, dueAt: 1 }, ofActive('active_by_turn'));
schema.index({ active: 1, expiresAt: 1 }, ofActive('active_by_end'));
schema.index({ closingSince: 1 }, { sparse: true });
schema.index({ organisationId: 1, workspaceId: 1 });

const formerIndexes = [
  'status_1_priority_1_queuedAt_1',
  'owner_1_status_1',
  'status_1_workspaceId_1_dueAt_1',
  'active_1_expiresAt_1',
];

export const runModel = defineModel('Run', schema, formerIndexes);
