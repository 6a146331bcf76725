import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { limitMembers } from '../../limits/schema.ts';
import type { StoredLimits } from '../../limits/stored.ts';
import type { LimitOwner } from '../../limits/to-limit.ts';
import { indexSorts } from '../../order.ts';
import { type SecretMapping, secretMappingSchema } from '../secret-reference/index.ts';

export type ProviderDocument = StoredLimits & {
  _id: string;
  organisationId: string;
  workspaceId: string;
  /** What requests name as `@slug`. */
  slug: string;
  name: string;
  note: string | null;
  integrationId: string;
  expiresAt: Date | null;
  /** As stored; a provider past `expiresAt` is expired whatever stands here. */
  status: 'active';
  /** What goes before the credential of the integration; absent in older documents. */
  secretMappings?: SecretMapping[];
  tags: Record<string, string>;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<ProviderDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, required: true },
    slug: { type: String, required: true },
    name: { type: String, required: true },
    note: { type: String, default: null },
    integrationId: { type: String, required: true },
    expiresAt: { type: Date, default: null },
    status: { type: String, default: 'active' },
    secretMappings: { type: [secretMappingSchema], default: [] },
    tags: { type: Schema.Types.Mixed, default: {} },
    ...limitMembers,
  },
  resourceSchema('providers'),
);
schema.index({ organisationId: 1, workspaceId: 1, slug: 1 }, { unique: true });
schema.index({ organisationId: 1, integrationId: 1 });
schema.index({ organisationId: 1, 'secretMappings.secretReferenceId': 1 });
indexSorts(schema, 'workspace');

export const limitOwner = (provider: ProviderDocument): LimitOwner => ({
  level: 'provider',
  id: provider._id,
  organisationId: provider.organisationId,
  workspaceId: provider.workspaceId,
  name: provider.slug,
});

export const providerModel = defineModel('Provider', schema);
