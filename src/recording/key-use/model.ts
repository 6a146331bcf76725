import { Schema } from 'mongoose';
import { defineModel } from '../../storage/model.ts';

/** When a key was last used. Not in the key itself: its use is no change, and its digest in the audit trail stays. */
export type KeyUseDocument = { _id: string; usedAt: Date };

const schema = new Schema<KeyUseDocument>(
  { _id: String, usedAt: { type: Date, required: true } },
  { collection: 'api_key_uses', versionKey: false, id: false, autoIndex: false, autoCreate: false },
);

export const keyUseModel = defineModel('KeyUse', schema);
