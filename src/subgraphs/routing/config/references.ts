import type { GatewayConfig } from '../../../dataplane/config/schema.ts';
import { GatewayError } from '../../../errors/index.ts';
import { providerModel } from '../../catalog/provider/index.ts';
import type { GraphContext } from '../../context.ts';
import type { ConfigDocument } from './model.ts';

/** Refuses a config that names a catalogue provider which its workspace does not have. */
export async function requireProviders(
  context: GraphContext,
  { organisationId, workspaceId }: Pick<ConfigDocument, 'organisationId' | 'workspaceId'>,
  config: GatewayConfig,
): Promise<void> {
  const named = providersNamed(config, 'config');
  if (named.length === 0) return;
  const slugs = [...new Set(named.map(({ slug }) => slug))];
  const found: string[] = await providerModel(context.db).distinct('slug', {
    organisationId,
    workspaceId,
    slug: { $in: slugs },
  });
  const missing = named.filter(({ slug }) => !found.includes(slug));
  const [first] = missing;
  if (!first) return;
  const lines = missing.map(
    ({ path, slug }) => `path: ${path}, message: the workspace has no provider @${slug}`,
  );
  throw new GatewayError('INVALID_CONFIG', {
    message: `The gateway config is not valid: ${lines[0]}`,
    param: first.path.replace(/^config/, 'input.config'),
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

/**
 * Refuses what would take a config away while an API key has it as its default, or a workspace for its user keys. Asks the
 * collections by their names: both resources check their defaults with this one, so that an import of their models would go
 * round in a circle.
 */
export async function requireUnused(context: GraphContext, config: ConfigDocument): Promise<void> {
  const { organisationId, workspaceId, _id, slug } = config;
  const names = { $in: [_id, slug] };
  const options = { projection: { _id: 1 } };
  const [key, workspace] = await Promise.all([
    context.db
      .collection('api_keys')
      .findOne({ organisationId, workspaceId, 'defaults.config_id': names }, options),
    context.db
      .collection<{ _id: string }>('workspaces')
      .findOne({ _id: workspaceId, organisationId, 'defaults.user_api_key_config': names }, options),
  ]);
  if (key) throw new GatewayError('IN_USE', { message: 'The config is the default of an API key.' });
  if (workspace) {
    throw new GatewayError('IN_USE', {
      message: 'The config is the default of the user keys of its workspace.',
    });
  }
}
