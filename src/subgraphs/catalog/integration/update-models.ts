import { invalidInput } from '../../../errors/index.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import type { GraphContext } from '../../context.ts';
import type { IntegrationModelInput, UpdateIntegrationModelsInput } from '../../types.generated.ts';
import { changeList } from './change-list.ts';
import { parseModelConfigurations } from './configurations.ts';
import { requireIntegration } from './find.ts';
import type { IntegrationDocument, IntegrationModel } from './model.ts';
import { parsePricing } from './pricing.ts';
import { seal, unsealModelHeaders } from './sealed.ts';

const maxModels = 2000;
/** Adds models, or puts them in the place of those with the same slug. */
export async function updateIntegrationModels(
  context: GraphContext,
  id: string,
  input: UpdateIntegrationModelsInput,
) {
  const { integration } = await requireIntegration(context, id, 'update');
  const slugs = input.models.map(({ slug }) => slug);
  const twice = slugs.findIndex((slug, index) => slugs.indexOf(slug) !== index);
  if (twice >= 0) throw invalidInput(`input.models[${twice}].slug`, `${slugs[twice]} is named twice.`);
  const change = (current: IntegrationDocument) => {
    const { models } = current;
    const given = input.models.map((model, index) =>
      toModel(context.secrets, current, model, `input.models[${index}]`),
    );
    if (holdsSecrets(current)) requireKnownHosts(current, given);
    const merged = [...new Map([...models, ...given].map((model) => [model.slug, model])).values()];
    if (merged.length > maxModels)
      throw invalidInput('input.models', `An integration lists at most ${maxModels} models.`);
    return {
      models: merged,
      ...(input.allowAllModels != null && { allowAllModels: input.allowAllModels }),
    };
  };
  return changeList(context, integration, { list: 'models', change });
}

const holdsSecrets = ({ sealedKey, sealedHeaders, sealedSettings, models }: IntegrationDocument): boolean =>
  Boolean(sealedKey || sealedHeaders || sealedSettings) || models.some((model) => model.sealedHeaders);

/** The stored credential goes to a model's own host only where that is the integration's. */
function requireKnownHosts({ configurations, models }: IntegrationDocument, given: IntegrationModel[]): void {
  const origin = (host: string) => new URL(host).origin;
  const hosts = [configurations.custom_host, ...models.map((model) => model.configurations.custom_host)];
  const known = new Set(hosts.flatMap((host) => (host === undefined ? [] : [origin(host)])));
  given.forEach(({ configurations: { custom_host: host } }, index) => {
    if (host === undefined || known.has(origin(host))) return;
    throw invalidInput(
      `input.models[${index}].configurations.custom_host`,
      'A stored credential does not go to a further host: make an integration of its own for it.',
    );
  });
}

/** Removes custom models; the others are switched off instead. */
export async function deleteIntegrationModels(context: GraphContext, id: string, slugs: readonly string[]) {
  const { integration } = await requireIntegration(context, id, 'update');
  const change = ({ models }: IntegrationDocument) => {
    for (const slug of slugs) {
      const model = models.find((each) => each.slug === slug);
      if (!model) throw invalidInput('slugs', `The integration lists no model ${slug}.`);
      if (!model.isCustom)
        throw invalidInput('slugs', `${slug} is not a custom model; switch it off instead.`);
    }
    return { models: models.filter(({ slug }) => !slugs.includes(slug)) };
  };
  return changeList(context, integration, { list: 'models', change });
}

function toModel(
  secrets: Secrets,
  { _id, models }: IntegrationDocument,
  input: IntegrationModelInput,
  param: string,
): IntegrationModel {
  const before = models.find(({ slug }) => slug === input.slug);
  const stored = before ? unsealModelHeaders(secrets, before, _id) : {};
  const { plain, headers } = parseModelConfigurations(
    input.configurations,
    `${param}.configurations`,
    stored,
  );
  return {
    slug: input.slug,
    name: input.slug,
    enabled: input.enabled,
    isCustom: input.isCustom ?? false,
    isFinetune: input.isFinetune ?? false,
    baseModelSlug: input.baseModelSlug ?? null,
    configurations: plain,
    sealedHeaders: seal(secrets, headers, _id),
    pricingConfig: parsePricing(input.pricingConfig, `${param}.pricingConfig`),
  };
}
