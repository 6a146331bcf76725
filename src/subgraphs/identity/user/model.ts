import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

export type UserDocument = {
  _id: string;
  organisationId: string;
  /** Lower case. */
  email: string;
  firstName: string;
  lastName: string;
  role: 'owner' | 'admin' | 'member';
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<UserDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    email: { type: String, required: true },
    firstName: { type: String, required: true },
    lastName: { type: String, required: true },
    role: { type: String, required: true },
  },
  resourceSchema('users'),
);
schema.index({ organisationId: 1, email: 1 }, { unique: true });
schema.index({ organisationId: 1, email: 1, _id: 1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, lastUpdatedAt: -1, _id: -1 });

export const userModel = defineModel('User', schema);
