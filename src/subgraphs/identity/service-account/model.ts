import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

export type ServiceAccountDocument = {
  /** Client id. */
  _id: string;
  /** TSG id of the tenant that it belongs to. */
  tsgId: string;
  organisationId: string;
  /** Unique in its tenant. */
  name: string;
  /** `<name>@<tsg_id>.iam.<domain>`, as access policies name it; lower case. */
  principal: string;
  description: string | null;
  /** `Secrets.hash` of the client secret: the only form in which it is kept. */
  secretHash: string;
  /** Grows with each new secret; tokens of an earlier one are refused. */
  secretVersion: number;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<ServiceAccountDocument>(
  {
    _id: String,
    tsgId: { type: String, required: true },
    organisationId: { type: String, required: true },
    name: { type: String, required: true },
    principal: { type: String, required: true },
    description: { type: String, default: null },
    secretHash: { type: String, required: true },
    secretVersion: { type: Number, default: 1 },
  },
  resourceSchema('service_accounts'),
);
schema.index({ principal: 1 }, { unique: true });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });

export const serviceAccountModel = defineModel('ServiceAccount', schema);
