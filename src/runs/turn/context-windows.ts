import type { Directory } from '../../directory/memory.ts';
import { loadCatalogue } from '../../recording/pricing/index.ts';
import type { ContextWindows } from '../deps.ts';

/** The windows of models that name their provider, as the price catalogue knows them. */
export const createContextWindows =
  (directory: Pick<Directory, 'providers'>, now: () => Date): ContextWindows =>
  async ({ workspaceId, model: asked }) => {
    const [, slug, model] = /^@([^/]+)\/(.+)$/s.exec(asked) ?? [];
    if (slug === undefined || model === undefined) return null;
    const provider = await directory.providers.get(`${workspaceId}/${slug}`);
    if (!provider) return null;
    const catalogue = await loadCatalogue();
    const baseModel = provider.models.get(model)?.pricing?.baseModel;
    const known =
      catalogue.find(provider.aiProviderId, model, now()) ??
      (baseModel ? catalogue.find(provider.aiProviderId, baseModel, now()) : null);
    return known?.contextWindow ?? null;
  };
