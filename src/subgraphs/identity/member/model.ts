import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

export type MemberRole = 'admin' | 'manager' | 'member';

/** That a user is in a workspace. */
export type MemberDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  userId: string;
  /** What counts: the stronger one of the two below. */
  role: MemberRole;
  /** What groups of the identity provider give; absent where none does. */
  groupRole?: MemberRole;
  /** What was given by hand, null for nothing; absent where no group gives a role: then all of `role` was. */
  ownRole?: MemberRole | null;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<MemberDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    userId: { type: String, required: true },
    role: { type: String, required: true },
    groupRole: String,
    ownRole: String,
  },
  resourceSchema('members'),
);
schema.index({ organisationId: 1, workspaceId: 1, userId: 1 }, { unique: true });
schema.index({ organisationId: 1, userId: 1, workspaceId: 1 });
schema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, workspaceId: 1, lastUpdatedAt: -1, _id: -1 });

export const memberModel = defineModel('Member', schema);
