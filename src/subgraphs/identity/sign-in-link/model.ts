import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

/** A link that signs somebody in once. Whoever has used it has taken the document away. */
export type StoredSignInLink = {
  _id: string;
  organisationId: string;
  /** Whom it signs in; null for one that makes the first owner of the organisation. */
  userId: string | null;
  /** `Secrets.hash` of the secret in the link. */
  secretHash: string;
  /** The user, API key or service account that asked for it; null for one that was printed on the machine itself. */
  createdBy: string | null;
  expiresAt: Date;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<StoredSignInLink>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    userId: { type: String, default: null },
    secretHash: { type: String, required: true },
    createdBy: { type: String, default: null },
    expiresAt: { type: Date, required: true },
  },
  resourceSchema('sign_in_links'),
);
schema.index({ secretHash: 1 }, { unique: true });
schema.index({ organisationId: 1, userId: 1 });
schema.index({ expiresAt: 1 }, { expireAfterSeconds: 0 });

export const signInLinkModel = defineModel('SignInLink', schema);
