import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import type { MemberRole } from '../member/index.ts';

/** That the members of a group have a role in a workspace. */
export type ScimMappingDocument = {
  _id: string;
  organisationId: string;
  workspaceId: string;
  groupId: string;
  /** The same in all mappings of a group. */
  role: MemberRole;
  /** True from the moment at which it gives nothing more; then it is deleted. */
  isEnding?: boolean;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<ScimMappingDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    groupId: { type: String, required: true },
    role: { type: String, required: true },
    isEnding: Boolean,
  },
  resourceSchema('scim_mappings'),
);
schema.index({ organisationId: 1, groupId: 1, workspaceId: 1 }, { unique: true });
schema.index({ organisationId: 1, createdAt: -1, _id: -1 });
schema.index({ organisationId: 1, workspaceId: 1, createdAt: -1, _id: -1 });

export const scimMappingModel = defineModel('ScimMapping', schema);
