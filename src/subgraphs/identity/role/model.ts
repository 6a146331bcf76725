import { Schema } from 'mongoose';
import type { Permission } from '../../../auth/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';

/** A role that a tenant has defined; access policies name it by its id. */
export type RoleDocument = {
  /** `<slug>:<tsg_id>` */
  _id: string;
  tsgId: string;
  organisationId: string;
  slug: string;
  name: string;
  description: string | null;
  permissions: Permission[];
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<RoleDocument>(
  {
    _id: String,
    tsgId: { type: String, required: true },
    organisationId: { type: String, required: true },
    slug: { type: String, required: true },
    name: { type: String, required: true },
    description: { type: String, default: null },
    permissions: { type: [String], required: true },
  },
  resourceSchema('roles'),
);
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });

export const roleModel = defineModel('Role', schema);
