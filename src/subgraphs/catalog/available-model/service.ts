import { requireScope } from '../../../auth/index.ts';
import { offeredModels } from '../../../providers/offered-models.ts';
import { type Catalogue, loadCatalogue, priceListOf } from '../../../recording/pricing/index.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import { expiryFilter } from '../../filters.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import { type PageArguments, requireShallow } from '../../page.ts';
import type { QueryAvailableModelsArgs } from '../../types.generated.ts';
import {
  type IntegrationDocument,
  type IntegrationModel,
  integrationModel,
  usableIn,
} from '../integration/index.ts';
import { type ProviderDocument, providerModel } from '../provider/index.ts';
import { idOrSlug } from '../values.ts';

type ListArguments = QueryAvailableModelsArgs & PageArguments;
type Way = { slug: string; integration: Offering };
type Offering = Pick<
  IntegrationDocument,
  '_id' | 'aiProviderId' | 'allowAllModels' | 'models' | 'pricingAdjustments'
>;
type Named = { id: string; model: string; way: Way };

/** Only what stands on the page is priced: a catalogue has hundreds of models for each provider. */
export async function listAvailableModels(context: GraphContext, args: ListArguments) {
  requireScope(context.principal, ['models.list', 'providers.list']);
  const { currentPage, pageSize } = args;
  requireShallow({ currentPage, pageSize });
  const ways = await waysOf(context, args);
  const catalogue = await loadCatalogue();
  const wanted = args.search?.toLowerCase();
  const found = ways
    .flatMap((way) => modelsOf(way, catalogue))
    .filter(({ id }) => wanted == null || id.toLowerCase().includes(wanted))
    .sort((one, other) => (one.id < other.id ? -1 : 1));
  const page = found.slice(currentPage * pageSize, (currentPage + 1) * pageSize);
  const at = context.now();
  return { total: found.length, data: page.map((named) => described(named, catalogue, at)) };
}

/** The providers that requests of the workspace may name now, with their integrations. */
async function waysOf(
  context: GraphContext,
  { workspaceId: named, provider }: QueryAvailableModelsArgs,
): Promise<Way[]> {
  const { organisationId } = requireScope(context.principal, ['models.list', 'providers.list']);
  const workspaceId = await workspaceIdFor(context, named);
  const filter = { organisationId, workspaceId, ...expiryFilter('active', context.now()) };
  const providers = await orTooSlow(
    providerModel(context.db)
      .find(
        { $and: [filter, provider == null ? {} : idOrSlug(provider)] },
        { slug: 1, integrationId: 1 },
        boundedRead,
      )
      .lean<Pick<ProviderDocument, 'slug' | 'integrationId'>[]>()
      .exec(),
  );
  const ids = [...new Set(providers.map(({ integrationId }) => integrationId))];
  const integrations = await orTooSlow(
    integrationModel(context.db)
      .find(
        { $and: [{ _id: { $in: ids }, organisationId, status: 'active' }, usableIn(workspaceId)] },
        { aiProviderId: 1, allowAllModels: 1, models: 1, pricingAdjustments: 1 },
        boundedRead,
      )
      .lean<Offering[]>()
      .exec(),
  );
  const byId = new Map(integrations.map((integration) => [integration._id, integration]));
  return providers.flatMap(({ slug, integrationId }) => {
    const integration = byId.get(integrationId);
    return integration ? [{ slug, integration }] : [];
  });
}

function modelsOf(way: Way, catalogue: Catalogue): Named[] {
  const { aiProviderId, allowAllModels, models } = way.integration;
  const listed = models.map((model) => [model.slug, model] as const);
  const offered = offeredModels(
    { aiProviderId, allowAllModels, models: listed },
    catalogue.names(aiProviderId),
  );
  return [...offered].map((model) => ({ id: `@${way.slug}/${model}`, model, way }));
}

const sourceOf = (own: IntegrationModel | undefined) =>
  own?.pricingConfig ? ('integration' as const) : ('catalogue' as const);

function described({ id, model, way }: Named, catalogue: Catalogue, at: Date) {
  const { aiProviderId, models, pricingAdjustments } = way.integration;
  const own = models.find(({ slug }) => slug === model);
  const known =
    catalogue.find(aiProviderId, model, at) ??
    (own?.baseModelSlug ? catalogue.find(aiProviderId, own.baseModelSlug, at) : null);
  const published = known && priceListOf(known, 0);
  const list = own?.pricingConfig ?? published;
  return {
    id,
    model,
    provider: way.slug,
    aiProviderId,
    isCustom: own?.isCustom ?? false,
    contextWindow: known?.contextWindow ?? null,
    payAsYouGo: list?.pay_as_you_go ?? null,
    priceSource: list ? sourceOf(own) : null,
    pricingAdjustments: pricingAdjustments ?? null,
  };
}
