import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { changeList } from './change-list.ts';
import { modelSettings, parseConfigurations, sealHeaders, unsealHeaders } from './configurations.ts';
import { requireIntegration } from './find.ts';
import type { IntegrationModel } from './model.ts';
import { parsePricing } from './pricing.ts';

type ModelInput = {
  slug: string;
  enabled: boolean;
  isCustom?: boolean | null;
  isFinetune?: boolean | null;
  baseModelSlug?: string | null;
  configurations?: unknown;
  pricingConfig?: unknown;
};
type UpdateModelsInput = { models: readonly ModelInput[]; allowAllModels?: boolean | null };

const maxModels = 2000;
const invalid = (message: string, param: string) => new GatewayError('VALIDATION_FAILED', { message, param });

/** Adds models, or puts them in the place of those with the same slug. */
export async function updateIntegrationModels(context: GraphContext, id: string, input: UpdateModelsInput) {
  const { integration } = await requireIntegration(context, id, 'update');
  const slugs = input.models.map(({ slug }) => slug);
  const twice = slugs.findIndex((slug, index) => slugs.indexOf(slug) !== index);
  if (twice >= 0) throw invalid(`${slugs[twice]} is named twice.`, `input.models[${twice}].slug`);
  return changeList(context, integration, 'models', ({ models }) => {
    const merged = new Map(models.map((model) => [model.slug, model]));
    input.models.forEach((model, index) => {
      const param = `input.models[${index}]`;
      merged.set(model.slug, toModel(context, integration._id, model, merged.get(model.slug), param));
    });
    if (merged.size > maxModels)
      throw invalid(`An integration lists at most ${maxModels} models.`, 'input.models');
    return {
      models: [...merged.values()],
      ...(input.allowAllModels != null && { allowAllModels: input.allowAllModels }),
    };
  });
}

/** Removes custom models; the others are switched off instead. */
export async function deleteIntegrationModels(context: GraphContext, id: string, slugs: readonly string[]) {
  const { integration } = await requireIntegration(context, id, 'update');
  return changeList(context, integration, 'models', ({ models }) => {
    for (const slug of slugs) {
      const model = models.find((each) => each.slug === slug);
      if (!model) throw invalid(`The integration lists no model ${slug}.`, 'slugs');
      if (!model.isCustom) throw invalid(`${slug} is not a custom model; switch it off instead.`, 'slugs');
    }
    return { models: models.filter(({ slug }) => !slugs.includes(slug)) };
  });
}

/** The stored form of a model; `stored` is the present one of the same slug. */
function toModel(
  { secrets }: GraphContext,
  integrationId: string,
  input: ModelInput,
  stored: IntegrationModel | undefined,
  param: string,
): IntegrationModel {
  const present = stored ? unsealHeaders(secrets, { _id: integrationId, ...stored }) : {};
  const { configurations, headers } = parseConfigurations(
    input.configurations,
    modelSettings,
    present,
    `${param}.configurations`,
  );
  return {
    slug: input.slug,
    name: input.slug,
    enabled: input.enabled,
    isCustom: input.isCustom ?? false,
    isFinetune: input.isFinetune ?? false,
    baseModelSlug: input.baseModelSlug ?? null,
    configurations,
    sealedHeaders: sealHeaders(secrets, headers, integrationId),
    pricingConfig: parsePricing(input.pricingConfig, `${param}.pricingConfig`),
  };
}
