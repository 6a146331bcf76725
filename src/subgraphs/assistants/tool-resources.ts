import type { ToolResources } from '../../runs/settings.ts';
import type { GraphContext } from '../context.ts';
import { notFound, requireId } from './caller.ts';
import { namedToolResourcesOf, toolResourcesOf } from './members/index.ts';
import { attach, existingFiles, insertStore, newStore, vectorStoreModel } from './vector-store/index.ts';

/** What tools may use, checked, and what is to be stored before anything names it. */
export type CheckedToolResources = { resources: ToolResources | null; store(): Promise<void> };

type Owner = { organisationId: string; workspaceId: string };
type Place = {
  /** Where they stand in the request. */
  param: string;
  /** Whether a vector store may be made with them: only with what is made itself. */
  makesStores: boolean;
};

const nothing = async (): Promise<void> => undefined;

/** Checks that files and vector stores are there, in the workspace. Throws VALIDATION_FAILED and NOT_FOUND. */
export async function checkedToolResources(
  context: GraphContext,
  owner: Owner,
  value: unknown,
  { param, makesStores }: Place,
): Promise<CheckedToolResources> {
  const { resources, newStore: helped } = makesStores
    ? toolResourcesOf(value, param)
    : { resources: namedToolResourcesOf(value, param), newStore: null };
  if (!resources) return { resources, store: nothing };
  const ids = resources.code_interpreter?.file_ids ?? [];
  await existingFiles(
    context,
    owner,
    ids.map((fileId) => ({ fileId })),
  );
  await requireStores(context, owner, resources.file_search?.vector_store_ids ?? []);
  if (!helped) return { resources, store: nothing };
  const { fileIds, chunking, metadata } = helped;
  const named = fileIds.map((fileId) => ({ fileId, attributes: {}, chunking }));
  const files = await existingFiles(context, owner, named);
  const store = newStore(context, owner, { metadata });
  return {
    resources: { ...resources, file_search: { vector_store_ids: [store._id] } },
    async store() {
      await insertStore(context, store);
      if (files.length > 0) await attach(context, store, { files, batchId: null });
    },
  };
}

async function requireStores(context: GraphContext, owner: Owner, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    requireId('vector_store', id);
    const found = await vectorStoreModel(context.db).exists({ _id: id, ...owner });
    if (!found) throw notFound('vector_store', id);
  }
}
