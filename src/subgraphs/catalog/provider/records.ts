import type { Connection } from 'mongoose';
import type { MappedSecret, ProviderRecord } from '../../../directory/memory.ts';
import type { Limit } from '../../../limits/limit.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import { limitsOf } from '../../limits/to-limit.ts';
import {
  entryOf,
  entryOwner,
  type IntegrationDocument,
  type IntegrationModel,
  integrationModel,
  unsealHeaders,
  unsealModelHeaders,
  unsealSettings,
} from '../integration/index.ts';
import {
  loadSecretReferences,
  mappedSecrets,
  referencesOf,
  type SecretMapping,
} from '../secret-reference/index.ts';
import { limitOwner, type ProviderDocument, providerModel } from './model.ts';

/** Providers by `<workspaceId>/<slug>` with their integration's credential; those that may not be used are left out. */
export async function loadProviderRecords(
  db: Connection,
  secrets: Secrets,
  ids: string[],
): Promise<Map<string, ProviderRecord>> {
  const providers = await providerModel(db)
    .find({ $or: ids.map(splitId) })
    .lean<ProviderDocument[]>();
  const integrations = await integrationModel(db)
    .find({
      _id: { $in: [...new Set(providers.map((provider) => provider.integrationId))] },
      status: 'active',
    })
    .lean<IntegrationDocument[]>();
  const byId = new Map(integrations.map((integration) => [integration._id, integration]));
  const references = await loadSecretReferences(
    db,
    secrets,
    [...integrations, ...providers].flatMap(({ secretMappings = [] }) => referencesOf(secretMappings)),
  );
  return new Map(
    providers.flatMap((provider) => {
      const integration = byId.get(provider.integrationId);
      if (!integration || !isSharedWith(integration, provider)) return [];
      return [
        [
          `${provider.workspaceId}/${provider.slug}`,
          toRecord(
            provider,
            integration,
            secrets,
            mappedSecrets(mappingsOf(provider, integration), provider, references),
          ),
        ] as const,
      ];
    }),
  );
}

/** Slugs of the providers of each workspace, in the order they were made. */
export async function loadCatalogues(db: Connection, workspaceIds: string[]): Promise<Map<string, string[]>> {
  const providers = await providerModel(db)
    .find({ workspaceId: { $in: workspaceIds } }, { workspaceId: 1, slug: 1 })
    .sort({ createdAt: 1, _id: 1 })
    .lean<Pick<ProviderDocument, 'workspaceId' | 'slug'>[]>();
  const slugs = new Map(workspaceIds.map((id) => [id, [] as string[]]));
  for (const { workspaceId, slug } of providers) slugs.get(workspaceId)?.push(slug);
  return slugs;
}

function splitId(id: string): { workspaceId: string; slug: string } {
  const slash = id.indexOf('/');
  return { workspaceId: id.slice(0, slash), slug: id.slice(slash + 1) };
}

function isSharedWith(
  integration: IntegrationDocument,
  { organisationId, workspaceId }: ProviderDocument,
): boolean {
  if (integration.organisationId !== organisationId) return false;
  if (integration.workspaceId !== null) return integration.workspaceId === workspaceId;
  const own = integration.workspaces.find((entry) => entry.workspaceId === workspaceId);
  return own?.enabled ?? integration.globalWorkspaceAccess.enabled;
}

/** The provider's own mappings, and those of its integration for what these leave. */
function mappingsOf(provider: ProviderDocument, integration: IntegrationDocument): SecretMapping[] {
  const own = provider.secretMappings ?? [];
  const filled = new Set(own.map(({ targetField }) => targetField));
  const others = (integration.secretMappings ?? []).filter(({ targetField }) => !filled.has(targetField));
  return [...own, ...others];
}

function toRecord(
  provider: ProviderDocument,
  integration: IntegrationDocument,
  secrets: Secrets,
  mapped: MappedSecret[],
): ProviderRecord {
  const { _id, sealedKey } = integration;
  const { custom_host: customHost = null, ...settings } = integration.configurations;
  const customHeaders = unsealHeaders(secrets, integration);
  return {
    id: provider._id,
    slug: provider.slug,
    integrationId: _id,
    aiProviderId: integration.aiProviderId,
    credential: {
      key: sealedKey === null ? null : secrets.decrypt(sealedKey, _id),
      settings: { ...settings, ...unsealSettings(secrets, integration) },
    },
    mappedSecrets: mapped,
    customHost,
    customHeaders,
    allowAllModels: integration.allowAllModels,
    restrictsModels: !integration.allowAllModels || integration.models.some(({ enabled }) => !enabled),
    models: new Map(
      integration.models.map((model) => [
        model.slug,
        {
          enabled: model.enabled,
          customHost: model.configurations.custom_host ?? null,
          customHeaders: model.sealedHeaders
            ? { ...customHeaders, ...unsealModelHeaders(secrets, model, _id) }
            : customHeaders,
          pricing: pricingOf(integration, model),
        },
      ]),
    ),
    pricing: pricingOf(integration, null),
    expiresAt: provider.expiresAt?.getTime() ?? null,
    limits: providerLimits(provider, integration),
  };
}

function providerLimits(provider: ProviderDocument, integration: IntegrationDocument): readonly Limit[] {
  const own = limitsOf(limitOwner(provider), provider);
  const shared = limitsOf(
    entryOwner(integration, provider.workspaceId),
    entryOf(integration, provider.workspaceId),
  );
  return shared.length === 0 ? own : [...shared, ...own];
}

/** What differs from the usual prices; null when nothing does, so that most calls carry nothing along. */
function pricingOf(
  { pricingAdjustments }: IntegrationDocument,
  model: IntegrationModel | null,
): ProviderRecord['pricing'] {
  const multipliers = pricingAdjustments?.multiplier ?? null;
  const list = model?.pricingConfig ?? null;
  const baseModel = model?.baseModelSlug ?? null;
  return multipliers || list || baseModel ? { list, baseModel, multipliers } : null;
}
