import type { GraphContext } from '../../context.ts';
import type { SecretMappingInput } from '../../types.generated.ts';
import { type IntegrationDocument, integrationModel } from '../integration/index.ts';
import {
  fillableFields,
  fillableSettings,
  parseSecretMappings,
  type SecretMapping,
} from '../secret-reference/index.ts';
import type { ProviderDocument } from './model.ts';

type Owner = Pick<ProviderDocument, 'organisationId' | 'workspaceId'>;
type Kind = Pick<IntegrationDocument, 'aiProviderId' | 'ofVirtualKey'>;

/** The mappings of a provider over this integration. */
export const parseMappings = (
  context: GraphContext,
  { organisationId, workspaceId }: Owner,
  integration: Kind,
  given: readonly SecretMappingInput[] | null | undefined,
): Promise<SecretMapping[]> =>
  parseSecretMappings(
    context,
    { organisationId, workspaceId, aiProviderId: integration.aiProviderId },
    given,
    fillableFields(fillableSettings(integration)),
  );

/** The same for one that is stored; of an integration that is gone, there is a key alone. */
export async function parseMappingsOf(
  context: GraphContext,
  provider: Owner & Pick<ProviderDocument, 'integrationId'>,
  given: readonly SecretMappingInput[] | null,
): Promise<SecretMapping[]> {
  const { organisationId, integrationId: _id } = provider;
  const found = await integrationModel(context.db)
    .findOne({ _id, organisationId }, { aiProviderId: 1, ofVirtualKey: 1 })
    .lean<Kind>();
  return parseMappings(context, provider, found ?? { aiProviderId: '' }, given);
}
