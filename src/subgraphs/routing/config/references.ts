import { GatewayError } from '../../../errors/index.ts';
import { isKnownProvider } from '../../../providers/index.ts';
import type { GatewayConfig } from '../../../routing-config/schema.ts';
import { providerModel } from '../../catalog/provider/index.ts';
import type { GraphContext } from '../../context.ts';
import { apiKeyModel } from '../../identity/api-key/index.ts';
import { workspaceModel } from '../../identity/workspace/index.ts';
import type { ConfigDocument } from './model.ts';

/** Refuses a config that names a provider which its workspace, or the gateway, does not have. */
export async function requireProviders(
  context: GraphContext,
  { organisationId, workspaceId }: Pick<ConfigDocument, 'organisationId' | 'workspaceId'>,
  config: GatewayConfig,
): Promise<void> {
  requireKnownKinds(config);
  const named = providersNamed(config, 'config');
  if (named.length === 0) return;
  const slugs = [...new Set(named.map(({ slug }) => slug))];
  const found: string[] = await providerModel(context.db).distinct('slug', {
    organisationId,
    workspaceId,
    slug: { $in: slugs },
  });
  const missing = named.filter(({ slug }) => !found.includes(slug));
  if (missing.length === 0) return;
  throw invalidConfig(
    missing.map(({ path, slug }) => ({ path, problem: `the workspace has no provider @${slug}` })),
  );
}

function requireKnownKinds(config: GatewayConfig): void {
  const unknown = kindsNamed(config, 'config').filter(({ id }) => !isKnownProvider(id));
  if (unknown.length > 0)
    throw invalidConfig(unknown.map(({ path, id }) => ({ path, problem: `there is no provider ${id}` })));
}

/** Every kind of provider with the place where it stands. */
function kindsNamed({ provider, targets }: GatewayConfig, path: string): { path: string; id: string }[] {
  const own =
    provider === undefined || provider.startsWith('@') ? [] : [{ path: `${path}.provider`, id: provider }];
  const below = targets?.flatMap((target, index) => kindsNamed(target, `${path}.targets[${index}]`)) ?? [];
  return [...own, ...below];
}

/** INVALID_CONFIG with a line for each problem. */
export function invalidConfig(problems: { path: string; problem: string }[]): GatewayError {
  const lines = problems.map(({ path, problem }) => `path: ${path}, message: ${problem}`);
  return new GatewayError('INVALID_CONFIG', {
    message: `The gateway config is not valid: ${lines[0]}`,
    param: problems[0]?.path.replace(/^config/, 'input.config'),
    errors: lines,
  });
}

type Named = { path: string; slug: string };

/** Every `@slug` with the place where it stands. */
function providersNamed(config: GatewayConfig, path: string): Named[] {
  const { provider, virtual_key: virtualKey, override_params: params, targets } = config;
  const named: Named[] = [];
  if (provider?.startsWith('@')) named.push({ path: `${path}.provider`, slug: provider.slice(1) });
  if (virtualKey !== undefined)
    named.push({ path: `${path}.virtual_key`, slug: virtualKey.replace(/^@/, '') });
  const model = typeof params?.model === 'string' ? /^@([^/]+)\//.exec(params.model)?.[1] : undefined;
  if (model !== undefined) named.push({ path: `${path}.override_params.model`, slug: model });
  targets?.forEach((target, index) => {
    named.push(...providersNamed(target, `${path}.targets[${index}]`));
  });
  return named;
}

/** Refuses what would take a config away while an API key has it as its default, or a workspace for its user keys. */
export async function requireUnused(context: GraphContext, config: ConfigDocument): Promise<void> {
  const { organisationId, workspaceId, _id, slug } = config;
  const names = { $in: [_id, slug] };
  const [key, workspace] = await Promise.all([
    apiKeyModel(context.db).exists({ organisationId, workspaceId, 'defaults.config_id': names }),
    workspaceModel(context.db).exists({
      _id: workspaceId,
      organisationId,
      'defaults.user_api_key_config': names,
    }),
  ]);
  if (key) throw new GatewayError('IN_USE', { message: 'The config is the default of an API key.' });
  if (workspace) {
    throw new GatewayError('IN_USE', {
      message: 'The config is the default of the user keys of its workspace.',
    });
  }
}
