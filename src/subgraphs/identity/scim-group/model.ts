import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { indexSorts } from '../../order.ts';

/** A group of the identity provider. */
export type ScimGroupDocument = {
  _id: string;
  organisationId: string;
  /** The `displayName`, as the identity provider writes it. */
  name: string;
  /** The name in lower case: unique in the organisation, so that a mapping can name a group. */
  nameKey: string;
  externalId: string | null;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const groupSchema = new Schema<ScimGroupDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    name: { type: String, required: true },
    nameKey: { type: String, required: true },
    externalId: { type: String, default: null },
  },
  resourceSchema('scim_groups'),
);
groupSchema.index({ organisationId: 1, nameKey: 1 }, { unique: true });
groupSchema.index({ organisationId: 1, externalId: 1 });
indexSorts(groupSchema);

export const scimGroupModel = defineModel('ScimGroup', groupSchema);

/** That a user is in a group. */
export type GroupMembership = { _id: string; organisationId: string; groupId: string; userId: string };

const membershipSchema = new Schema<GroupMembership>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    groupId: { type: String, required: true },
    userId: { type: String, required: true },
  },
  resourceSchema('scim_group_members'),
);
membershipSchema.index({ organisationId: 1, groupId: 1, userId: 1 }, { unique: true });
membershipSchema.index({ organisationId: 1, userId: 1, groupId: 1 });

export const groupMembershipModel = defineModel('ScimGroupMember', membershipSchema);
