import { requireScope } from '../../../auth/index.ts';
import type { ProbeResult } from '../../../dataplane/probe/probe.ts';
import type { MappedSecret } from '../../../directory/memory.ts';
import { invalidInput } from '../../../errors/index.ts';
import { isObject } from '../../../lib/json.ts';
import { isKnownProvider } from '../../../providers/index.ts';
import type { GraphContext } from '../../context.ts';
import { workspaceIdFor } from '../../identity/workspace/index.ts';
import type {
  IntegrationTest,
  MutationTestIntegrationArgs,
  TestIntegrationInput,
} from '../../types.generated.ts';
import {
  changedCredential,
  type IntegrationCredential,
  levelScope,
  newCredential,
  requireIntegration,
  unsealHeaders,
  unsealSettings,
} from '../integration/index.ts';
import {
  loadSecretReferences,
  type MappingOwner,
  mappedSecrets,
  parseSecretMappings,
  referencesOf,
  type SecretMapping,
} from '../secret-reference/index.ts';

const MAX_MODELS = 2000;

/** An integration that need not be stored, with what it takes from secret managers. */
type Described = IntegrationCredential & { slug: string | null; mappedSecrets: MappedSecret[] };

/** Asks a provider with a credential that is stored, or that is to be, and stores nothing. */
export async function testIntegration(
  context: GraphContext,
  args: MutationTestIntegrationArgs,
): Promise<IntegrationTest> {
  const integration = await describedIntegration(context, args);
  const model = args.model ?? null;
  const { secrets } = context;
  const { custom_host: customHost = null, ...settings } = integration.configurations;
  const result = await context.probe(
    {
      slug: integration.slug,
      aiProviderId: integration.aiProviderId,
      credential: {
        key: integration.sealedKey && secrets.decrypt(integration.sealedKey, integration._id),
        settings: { ...settings, ...unsealSettings(secrets, integration) },
      },
      mappedSecrets: integration.mappedSecrets,
      customHost,
      customHeaders: unsealHeaders(secrets, integration),
    },
    model,
  );
  const models = model === null ? modelsIn(result.body) : null;
  const ok = isSuccess(result) && (model !== null || models !== null);
  return {
    ok,
    status: result.status,
    latencyMs: result.latencyMs,
    providerMessage: result.message,
    hint: ok ? null : hintFor(result),
    models,
  };
}

/** The integration of the arguments as a document that is not stored. */
async function describedIntegration(
  context: GraphContext,
  { id, input }: MutationTestIntegrationArgs,
): Promise<Described> {
  if (id == null) return newIntegration(context, input ?? {});
  const { integration } = await requireIntegration(context, id, 'update');
  if (input?.aiProviderId != null && input.aiProviderId !== integration.aiProviderId)
    throw invalidInput(
      'input.aiProviderId',
      `ai_provider_id is ${integration.aiProviderId} and cannot change.`,
    );
  const mappings =
    input?.secretMappings === undefined
      ? (integration.secretMappings ?? [])
      : await parseSecretMappings(context, integration, input.secretMappings);
  return {
    ...changedCredential(context, integration, input ?? {}),
    slug: integration.slug,
    mappedSecrets: await mappedSecretsOf(context, integration, mappings),
  };
}

async function newIntegration(context: GraphContext, input: TestIntegrationInput): Promise<Described> {
  const { aiProviderId } = input;
  if (!aiProviderId)
    throw invalidInput('input.aiProviderId', 'ai_provider_id is required unless id names an integration.');
  const allowed = (level: string | null) => [levelScope(level, 'create'), levelScope(level, 'update')];
  const principal = requireScope(context.principal, [...allowed(null), ...allowed('any')]);
  const { organisationId } = principal;
  const workspaceId =
    input.workspaceId || principal.workspaceId ? await workspaceIdFor(context, input.workspaceId) : null;
  requireScope(principal, allowed(workspaceId));
  if (!isKnownProvider(aiProviderId))
    throw invalidInput('input.aiProviderId', `${aiProviderId} is not a provider that this gateway knows.`);
  const owner = { organisationId, workspaceId, aiProviderId };
  const mappings = await parseSecretMappings(context, owner, input.secretMappings);
  return {
    ...newCredential(context, aiProviderId, input),
    slug: null,
    mappedSecrets: await mappedSecretsOf(context, owner, mappings),
  };
}

const mappedSecretsOf = async (
  { db, secrets }: GraphContext,
  owner: Omit<MappingOwner, 'aiProviderId'>,
  mappings: readonly SecretMapping[],
): Promise<MappedSecret[]> =>
  mappedSecrets(mappings, owner, await loadSecretReferences(db, secrets, referencesOf(mappings)));

const isSuccess = ({ status }: ProbeResult): boolean => status !== null && status >= 200 && status < 300;

function modelsIn(body: ProbeResult['body']): string[] | null {
  if (!Array.isArray(body?.data)) return null;
  const ids = body.data.flatMap((item: unknown) =>
    isObject(item) && typeof item.id === 'string' ? [item.id] : [],
  );
  return ids.slice(0, MAX_MODELS);
}

function hintFor({ status, problem }: ProbeResult): string {
  if (status === null) return problem ?? 'The provider gave no answer.';
  if (status === 401)
    return 'The provider does not know the credential: check the key, and that it is of this account.';
  if (status === 403)
    return 'The credential may not do this: check what the key is allowed, its project and its region.';
  if (status === 404)
    return 'Nothing is there: check the custom host, the version in its path, the deployment and the model.';
  if (status === 429) return 'The account is at a limit, or has no credit left.';
  if (status >= 500) return 'The provider has a problem of its own: try again later.';
  if (status >= 400) return 'The provider refuses the request: see what it says, and check the settings.';
  return 'The host answers something else than this kind of provider: check the custom host and its path.';
}
