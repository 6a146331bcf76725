import { Schema } from 'mongoose';
import type { Scope } from '../../../auth/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import type { MemberRole } from '../member/index.ts';

export type InviteDocument = {
  _id: string;
  organisationId: string;
  /** Lower case. */
  email: string;
  role: 'admin' | 'member';
  workspaces: { workspaceId: string; role: MemberRole }[];
  /** Of the key that the new user gets in each workspace; null for no keys. */
  keyScopes: Scope[] | null;
  /** As stored; a pending invite past `expiresAt` is expired. */
  status: 'pending' | 'cancelled' | 'accepted' | 'expired';
  /** `Secrets.hash` of the secret in the link; null when the link leads nowhere any more. */
  secretHash: string | null;
  invitedBy: string;
  expiresAt: Date;
  acceptedAt: Date | null;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<InviteDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    email: { type: String, required: true },
    role: { type: String, required: true },
    workspaces: { type: [{ _id: false, workspaceId: String, role: String }], required: true },
    keyScopes: { type: [String], default: null },
    status: { type: String, default: 'pending' },
    secretHash: { type: String, default: null },
    invitedBy: { type: String, required: true },
    expiresAt: { type: Date, required: true },
    acceptedAt: { type: Date, default: null },
  },
  resourceSchema('invites'),
);
schema.index({ secretHash: 1 });
schema.index(
  { organisationId: 1, email: 1 },
  { name: 'one_pending', unique: true, partialFilterExpression: { status: 'pending' } },
);
// Partial indexes serve no sort over all.
schema.index({ organisationId: 1, email: 1, _id: 1 });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, lastUpdatedAt: -1, _id: -1 });

export const inviteModel = defineModel('Invite', schema);
