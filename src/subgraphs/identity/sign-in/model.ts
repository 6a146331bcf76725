import { Schema } from 'mongoose';
import type { PrincipalKind } from '../../../auth/index.ts';
import type { SignInHolder } from '../../../directory/memory.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

export type SignInMethod = 'link' | 'key' | 'client' | 'oidc';

/** That somebody is signed in at the console with one browser. It is deleted when it ends. */
export type SignInDocument = {
  _id: string;
  organisationId: string;
  kind: PrincipalKind;
  /** Id of the user or the API key, or client id of the service account. */
  principalId: string;
  /** Null for keys that stand for nobody, and for service accounts. */
  userId: string | null;
  /** As the user or credential was called at the sign-in. */
  name: string;
  method: SignInMethod;
  holder: SignInHolder;
  /** `Secrets.hash` of what the cookie holds. */
  secretHash: string;
  clientIp: string;
  userAgent: string;
  lastSeenAt: Date;
  /** When it ends unless it is used before. */
  endsAt: Date;
  /** When it ends at the latest. */
  expiresAt: Date;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<SignInDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    kind: { type: String, required: true },
    principalId: { type: String, required: true },
    userId: { type: String, default: null },
    name: { type: String, required: true },
    method: { type: String, required: true },
    holder: { type: Schema.Types.Mixed, required: true },
    secretHash: { type: String, required: true },
    clientIp: { type: String, default: '' },
    userAgent: { type: String, default: '' },
    lastSeenAt: { type: Date, required: true },
    endsAt: { type: Date, required: true },
    expiresAt: { type: Date, required: true },
  },
  resourceSchema('sign_ins'),
);
schema.index({ secretHash: 1 }, { unique: true });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, principalId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, userId: 1, createdAt: -1, _id: -1 });
schema.index({ endsAt: 1 }, { expireAfterSeconds: 0 });

export const signInModel = defineModel('SignIn', schema);
