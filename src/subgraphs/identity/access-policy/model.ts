import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

/** Gives a role on a tenant, or on one of its workspaces, to a principal that need not exist yet. */
export type AccessPolicyDocument = {
  _id: string;
  /** TSG id of the tenant whose resource this is. */
  tsgId: string;
  organisationId: string;
  /** Null for the tenant's root. */
  workspaceId: string | null;
  /** E-mail address or `<name>@<tsg_id>.iam.<domain>`; lower case. */
  principal: string;
  /** Slug of a built-in role, or `<slug>:<tsg_id>`. */
  role: string;
  /** As given: `prn:<tsg_id>::::<workspace>`. */
  resource: string;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<AccessPolicyDocument>(
  {
    _id: String,
    tsgId: { type: String, required: true },
    organisationId: { type: String, required: true },
    workspaceId: { type: String, default: null },
    principal: { type: String, required: true },
    role: { type: String, required: true },
    resource: { type: String, required: true },
  },
  resourceSchema('access_policies'),
);
// Leads with what a token request knows.
schema.index({ principal: 1, tsgId: 1, workspaceId: 1, role: 1 }, { unique: true });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
// Whether a role may be deleted.
schema.index({ role: 1 });

export const accessPolicyModel = defineModel('AccessPolicy', schema);
