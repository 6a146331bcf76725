import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

export type UserStatus = 'active' | 'inactive';

export type UserDocument = {
  _id: string;
  organisationId: string;
  /** Lower case. */
  email: string;
  firstName: string;
  lastName: string;
  role: 'owner' | 'admin' | 'member';
  /** Absent for active. Whoever is inactive has no rights: no keys, no membership that a group gives, no sign-in. */
  status?: UserStatus;
  /** Lower case. Absent for whoever the identity provider has given none: then it is the address. */
  userName?: string;
  /** How the identity provider writes the user name, and what else it says. */
  provisioned?: { userName: string; externalId?: string | null; displayName?: string | null };
  /** When a sign-in of the user was last seen in use, exact to a few minutes; absent before the first. */
  lastSeenAt?: Date;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<UserDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    email: { type: String, required: true },
    // Some people have one name.
    firstName: { type: String, default: '' },
    lastName: { type: String, default: '' },
    role: { type: String, required: true },
    status: String,
    userName: String,
    provisioned: { type: { userName: String, externalId: String, displayName: String }, _id: false },
    lastSeenAt: Date,
  },
  resourceSchema('users'),
);
schema.index({ organisationId: 1, email: 1 }, { unique: true });
schema.index({ organisationId: 1, email: 1, _id: 1 });
schema.index(
  { organisationId: 1, userName: 1 },
  { unique: true, partialFilterExpression: { userName: { $exists: true } } },
);
// A partial index serves no search for those who are not in it.
schema.index({ organisationId: 1, userName: 1, _id: 1 });
schema.index({ organisationId: 1, 'provisioned.externalId': 1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, lastUpdatedAt: -1, _id: -1 });

export const userModel = defineModel('User', schema);
