import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

/** A tenant service group: one node of the hierarchy, with one organisation of its own. */
export type TenantDocument = {
  /** TSG id: ten digits. */
  _id: string;
  organisationId: string;
  /** TSG ids from the root of the hierarchy down to the parent; empty for a root. */
  ancestors: string[];
  name: string;
  /** From the moment a deletion begins: no token counts, no child can be made. */
  isBeingDeleted: boolean;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<TenantDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    ancestors: { type: [String], required: true },
    name: { type: String, required: true },
    isBeingDeleted: { type: Boolean, default: false },
  },
  resourceSchema('tenants'),
);
schema.index({ organisationId: 1 }, { unique: true });
// Descendants at every depth, in the order of their making.
schema.index({ ancestors: 1, createdAt: -1, _id: -1 });

export const tenantModel = defineModel('Tenant', schema);
