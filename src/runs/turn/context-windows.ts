import type { Directory } from '../../directory/memory.ts';
import { allProviders } from '../../providers/index.ts';
import { type Catalogue, isPriced, loadCatalogue } from '../../recording/pricing/index.ts';
import type { ContextWindows } from '../deps.ts';

/** Each kind of provider that the catalogue knows. */
const kinds = allProviders.map(({ id }) => id).filter(isPriced);

/** The windows of models, as the price catalogue knows them. */
export const createContextWindows =
  (directory: Pick<Directory, 'providers'>, now: () => Date): ContextWindows =>
  async ({ workspaceId, model: asked }) => {
    const [, slug, model] = /^@([^/]+)\/(.+)$/s.exec(asked) ?? [];
    if (slug === undefined || model === undefined) return smallestOf(await loadCatalogue(), asked, now());
    const provider = await directory.providers.get(`${workspaceId}/${slug}`);
    if (!provider) return null;
    const catalogue = await loadCatalogue();
    const baseModel = provider.models.get(model)?.pricing?.baseModel;
    const known =
      catalogue.find(provider.aiProviderId, model, now()) ??
      (baseModel ? catalogue.find(provider.aiProviderId, baseModel, now()) : null);
    return known?.contextWindow ?? null;
  };

/**
 * The window of a model that names no provider, since a config chooses one for each call: the smallest that any of them gives it,
 * which all take.
 */
function smallestOf(catalogue: Catalogue, model: string, at: Date): number | null {
  const windows = kinds.flatMap((kind) => catalogue.find(kind, model, at)?.contextWindow ?? []);
  return windows.length === 0 ? null : Math.min(...windows);
}
