import { Schema } from 'mongoose';
import type { Multipliers, PriceList } from '../../../recording/pricing/index.ts';
import { defineModel, resourceSchema } from '../../../storage/model.ts';
import type { StoredLimits } from '../../limits/stored.ts';
import type { LimitOwner } from '../../limits/to-limit.ts';
import { indexSorts } from '../../order.ts';
import { type SecretMapping, secretMappingSchema } from '../secret-reference/index.ts';

/** Settings of the connection that are not secret, those of the provider kind among them; member names as on the wire. */
export type IntegrationConfigurations = { custom_host?: string } & Record<string, string>;

/** A model of the integration: switched on or off, or one that the provider's list does not know (custom). */
export type IntegrationModel = {
  slug: string;
  name: string;
  enabled: boolean;
  isCustom: boolean;
  isFinetune: boolean;
  /** The known model that gives a custom one its API shape and price. */
  baseModelSlug: string | null;
  configurations: { custom_host?: string };
  /** Headers of its own, sealed like those of the integration; absent in older documents. */
  sealedHeaders?: string | null;
  pricingConfig: (PriceList & { type: 'static' }) | null;
};

export type PricingAdjustments = { multiplier: Multipliers };

/** Whether workspaces may use an integration, and the limits of each. */
export type WorkspaceAccess = { enabled: boolean } & StoredLimits;

export type IntegrationDocument = {
  _id: string;
  organisationId: string;
  /** The owning workspace of a workspace-level integration; null for an organisation-level one. */
  workspaceId: string | null;
  slug: string;
  name: string;
  description: string | null;
  /** Provider kind, e.g. `openai`. */
  aiProviderId: string;
  status: 'active' | 'archived';
  /** Provider credential: `Secrets.encrypt(key, _id)`. */
  sealedKey: string | null;
  keyMask: string | null;
  configurations: IntegrationConfigurations;
  /** Headers sent with every call: `Secrets.encrypt(JSON of name to value, _id)`. */
  sealedHeaders: string | null;
  /** Secret settings of the provider kind, sealed alike; absent in older documents. */
  sealedSettings?: string | null;
  /** False allows only the models listed and enabled. */
  allowAllModels: boolean;
  models: IntegrationModel[];
  /** Whether workspaces that `workspaces` does not name may use an organisation-level integration. */
  globalWorkspaceAccess: WorkspaceAccess;
  /** Limits of an entry are its own: those of `globalWorkspaceAccess` are for workspaces without an entry. */
  workspaces: (WorkspaceAccess & { workspaceId: string })[];
  /** Factors on all prices of its calls; null or absent leaves them as they are. */
  pricingAdjustments?: PricingAdjustments | null;
  /** True for the credential of one virtual key, which no other provider may use; absent in older documents. */
  ofVirtualKey?: boolean;
  /** Parts of the credential whose values come from secret managers; absent in older documents. */
  secretMappings?: SecretMapping[];
  tags: Record<string, string>;
  createdAt: Date;
  lastUpdatedAt: Date;
};

const schema = new Schema<IntegrationDocument>(
  {
    _id: String,
    organisationId: { type: String, required: true },
    workspaceId: { type: String, default: null },
    slug: { type: String, required: true },
    name: { type: String, required: true },
    description: { type: String, default: null },
    aiProviderId: { type: String, required: true },
    status: { type: String, default: 'active' },
    sealedKey: { type: String, default: null },
    keyMask: { type: String, default: null },
    configurations: { type: Schema.Types.Mixed, default: {} },
    sealedHeaders: { type: String, default: null },
    sealedSettings: { type: String, default: null },
    allowAllModels: { type: Boolean, default: true },
    models: { type: [Schema.Types.Mixed as never], default: [] },
    globalWorkspaceAccess: { type: Schema.Types.Mixed, default: { enabled: true } },
    workspaces: { type: [Schema.Types.Mixed as never], default: [] },
    pricingAdjustments: { type: Schema.Types.Mixed, default: null },
    ofVirtualKey: { type: Boolean, default: false },
    secretMappings: { type: [secretMappingSchema], default: [] },
    tags: { type: Schema.Types.Mixed, default: {} },
  },
  resourceSchema('integrations'),
);
schema.index({ organisationId: 1, slug: 1 }, { unique: true });
schema.index({ organisationId: 1, 'secretMappings.secretReferenceId': 1 });
indexSorts(schema);

export const integrationModel = defineModel('Integration', schema);

/** The limits of an integration in one workspace: those of its entry, or of all workspaces that have none. */
export const entryOf = (
  { workspaces, globalWorkspaceAccess }: IntegrationDocument,
  workspaceId: string,
): StoredLimits => workspaces.find((entry) => entry.workspaceId === workspaceId) ?? globalWorkspaceAccess;

/** Each workspace has counters of its own, also where the limit is that of all workspaces without an entry. */
export const entryOwner = (
  { _id, organisationId, slug }: IntegrationDocument,
  workspaceId: string,
): LimitOwner => ({
  level: 'integration',
  id: `${_id}/${workspaceId}`,
  organisationId,
  workspaceId,
  name: slug,
});
