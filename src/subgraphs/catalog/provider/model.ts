import { Schema } from 'mongoose';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import { indexSorts } from '../../order.ts';

export type ProviderDocument = {
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
    tags: { type: Schema.Types.Mixed, default: {} },
  },
  resourceSchema('providers'),
);
schema.index({ organisationId: 1, workspaceId: 1, slug: 1 }, { unique: true });
schema.index({ organisationId: 1, integrationId: 1 });
indexSorts(schema, 'workspace');

export const providerModel = defineModel('Provider', schema);
