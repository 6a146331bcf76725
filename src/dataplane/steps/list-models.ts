import { isExpired, type ProviderRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { offeredModels } from '../../providers/offered-models.ts';
import { leavesOf } from '../../routing-config/plan.ts';
import type { Call } from '../call/call.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { recordWithoutProvider } from '../record.ts';
import { headerProvider, providerNamedFor } from '../target/named-provider.ts';

type Model = { id: string; object: 'model'; created: number; owned_by: string };

/**
 * Whether a call asks the gateway itself for models: no target has a provider, or the request or its config wants the
 * gateway's models all the same.
 */
export const wantsCatalogue = (call: Call): boolean =>
  call.route.endpoint === 'models' &&
  call.method === 'GET' &&
  (call.plan.fetchIntegratedModels ||
    call.headers['x-gateway-fetch-integrated-models'] === 'true' ||
    leavesOf(call.plan).every((leaf) => providerNamedFor(leaf, call) === null));

/**
 * `GET /v1/models` without a provider: what the workspace's providers offer, as `@slug/model`, which is how a request
 * may name them; of the providers that the request names when it asks for the catalogue all the same. `GET /v1/models/{model}`: one of these.
 */
export async function listModels(call: Call, dependencies: DataplaneDependencies): Promise<void> {
  const { directory } = dependencies;
  const named = referencedSlugs(call);
  const all = (await directory.catalogues.get(call.workspaceId)) ?? [];
  const slugs = named ? all.filter((slug) => named.has(slug)) : all;
  const records = await Promise.all(
    slugs.map((slug) => directory.providers.get(`${call.workspaceId}/${slug}`)),
  );
  const models = records.flatMap((record) => (record && !isExpired(record) ? modelsOf(record) : []));
  const wanted = call.path.startsWith('/models/') ? decodeName(call.path.slice('/models/'.length)) : null;
  answer(
    call,
    wanted === null
      ? { object: 'list', data: models, total_count: models.length }
      : modelNamed(models, wanted),
  );
  recordWithoutProvider(dependencies, call, 200, null);
}

/** Slugs that the request's config or, without one, its header names; null when it names none or leaves the choice open. */
function referencedSlugs(call: Call): ReadonlySet<string> | null {
  const leaves = leavesOf(call.plan);
  if (leaves.some((leaf) => leaf.passthrough)) return null;
  const header = headerProvider(call);
  const names = leaves.map((leaf) => leaf.provider ?? header);
  const slugs = names.flatMap((name) => (name?.startsWith('@') ? [name.slice(1)] : []));
  return names.every((name) => name === null) ? null : new Set(slugs);
}

const modelsOf = (record: ProviderRecord): Model[] =>
  [...offeredModels(record)].map((model) => ({
    id: `@${record.slug}/${model}`,
    object: 'model',
    created: 0,
    owned_by: record.aiProviderId,
  }));

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (cause) {
    throw new GatewayError('NOT_FOUND', { message: 'The model does not exist.', param: 'model', cause });
  }
}

function modelNamed(models: Model[], name: string): Model {
  const found = models.find((model) => model.id === name);
  if (!found)
    throw new GatewayError('NOT_FOUND', {
      message: `The model ${name.slice(0, 200)} does not exist.`,
      param: 'model',
    });
  return found;
}

function answer(call: Call, body: unknown): void {
  call.response.writeHead(200, {
    'content-type': 'application/json',
    'x-gateway-trace-id': call.trace.traceId,
    'x-gateway-request-id': call.requestId,
  });
  call.response.end(JSON.stringify(body));
}
