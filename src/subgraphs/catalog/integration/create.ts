import { invalidInput } from '../../../errors/index.ts';
import { slugFrom, uuid } from '../../../lib/ids.ts';
import { isKnownProvider } from '../../../providers/index.ts';
import type { GraphContext } from '../../context.ts';
import { defaultWorkspaceId, workspaceIdFor } from '../../identity/workspace/index.ts';
import type { CreateIntegrationInput } from '../../types.generated.ts';
import { orAlreadyExists } from '../../writes.ts';
import { createDefaultProviders, requireFreeSlugs } from '../provider/index.ts';
import { parseSecretMappings } from '../secret-reference/index.ts';
import { parseTags } from '../tags.ts';
import { requireAnyLevel, requireLevel } from './access.ts';
import { parseConfigurations } from './configurations.ts';
import { keyMembers } from './credential.ts';
import { type IntegrationDocument, integrationModel } from './model.ts';
import { parseAdjustments } from './pricing-adjustments.ts';
import { seal } from './sealed.ts';

/** Makes an integration and, unless told otherwise, the provider through which its workspace reaches it. */
export async function createIntegration(context: GraphContext, input: CreateIntegrationInput) {
  const principal = requireAnyLevel(context.principal, 'create');
  const { organisationId } = principal;
  const workspaceId =
    input.workspaceId || principal.workspaceId ? await workspaceIdFor(context, input.workspaceId) : null;
  requireLevel(principal, workspaceId, 'create');
  if (!isKnownProvider(input.aiProviderId)) {
    throw invalidInput(
      'input.aiProviderId',
      `${input.aiProviderId} is not a provider that this gateway knows.`,
    );
  }
  const { plain, headers, secrets } = parseConfigurations(input.configurations, input.aiProviderId, {
    headers: {},
    secrets: {},
  });
  const tags = parseTags(input.tags);
  const pricingAdjustments = parseAdjustments(input.pricingAdjustments);
  const { aiProviderId } = input;
  const secretMappings = await parseSecretMappings(
    context,
    { organisationId, workspaceId, aiProviderId },
    input.secretMappings,
  );
  const slug = input.slug ?? slugFrom(input.name);
  const places = await defaultProviderPlaces(context, organisationId, workspaceId, slug, input);
  await requireFreeSlugs(context, organisationId, places);

  const _id = uuid();
  const created = await orAlreadyExists(
    integrationModel(context.db).create({
      _id,
      organisationId,
      workspaceId,
      slug,
      name: input.name,
      description: input.description ?? null,
      aiProviderId: input.aiProviderId,
      ...keyMembers(context, { _id, keyMask: null }, input.key),
      configurations: plain,
      sealedHeaders: seal(context.secrets, headers, _id),
      sealedSettings: seal(context.secrets, secrets, _id),
      pricingAdjustments,
      secretMappings,
      tags,
    }),
  );
  const integration = created.toObject<IntegrationDocument>();
  try {
    await createDefaultProviders(context, integration, places);
  } catch (error) {
    // Somebody took the slug a moment ago: nothing of this call may stay.
    await integrationModel(context.db).deleteOne({ _id, organisationId });
    throw error;
  }
  await context.changes.publish('integration');
  return integration;
}

/** Where the default provider goes: the integration's workspace, else the organisation's default one. */
async function defaultProviderPlaces(
  context: GraphContext,
  organisationId: string,
  workspaceId: string | null,
  slug: string,
  { createDefaultProvider, defaultProviderSlug }: CreateIntegrationInput,
) {
  if (createDefaultProvider === false) return [];
  const place = workspaceId ?? (await defaultWorkspaceId(context.db, organisationId));
  return place === null ? [] : [{ workspaceId: place, slug: defaultProviderSlug ?? slug }];
}
