import DataLoader from 'dataloader';
import { type GraphContext, perRequest } from '../../context.ts';
import { apiKeyModel } from '../../identity/api-key/index.ts';
import { workspaceModel } from '../../identity/workspace/index.ts';
import type { ConfigUse } from '../../types.generated.ts';
import type { ConfigDocument } from './model.ts';

/** Uses that are shown of one config. */
const SHOWN = 100;

type KeyRow = { _id: string; defaults?: { config_id?: string } };
type WorkspaceRow = { _id: string; defaults?: { user_api_key_config?: string } };

/** The keys and workspaces that have a config as their default, under its id or its slug. */
export const usesOf = perRequest(
  (context: GraphContext) =>
    new DataLoader<ConfigDocument, ConfigUse[], string>(
      async (configs) => {
        const organisationId = { $in: [...new Set(configs.map((config) => config.organisationId))] };
        const workspaceId = { $in: [...new Set(configs.map((config) => config.workspaceId))] };
        const names = { $in: configs.flatMap(({ _id, slug }) => [_id, slug]) };
        const limit = SHOWN * configs.length;
        const [keys, workspaces] = await Promise.all([
          apiKeyModel(context.db)
            .find({ organisationId, workspaceId, 'defaults.config_id': names }, { 'defaults.config_id': 1 })
            .limit(limit)
            .lean<KeyRow[]>(),
          workspaceModel(context.db)
            .find(
              { organisationId, _id: workspaceId, 'defaults.user_api_key_config': names },
              { 'defaults.user_api_key_config': 1 },
            )
            .limit(limit)
            .lean<WorkspaceRow[]>(),
        ]);
        const uses = [
          ...keys.map(({ _id, defaults }) => ({
            kind: 'api_key' as const,
            id: _id,
            of: defaults?.config_id,
          })),
          ...workspaces.map(({ _id, defaults }) => ({
            kind: 'workspace' as const,
            id: _id,
            of: defaults?.user_api_key_config,
          })),
        ];
        return configs.map(({ _id, slug }) =>
          uses
            .filter((use) => use.of === _id || use.of === slug)
            .slice(0, SHOWN)
            .map(({ kind, id }) => ({ kind, id })),
        );
      },
      { cacheKeyFn: ({ _id }) => _id },
    ),
);
