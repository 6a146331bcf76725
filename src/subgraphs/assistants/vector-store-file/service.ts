import { storeFileId, type VectorStoreFileDocument } from '../../../knowledge/index.ts';
import type { GraphContext } from '../../context.ts';
import type { CursorArguments } from '../../cursor-page.ts';
import type {
  CreateVectorStoreFileInput,
  UpdateVectorStoreFileInput,
  VectorStoreFileStatus,
} from '../../types.generated.ts';
import { notFound, requireId, requireReader, visible } from '../caller.ts';
import { rememberPlace } from '../former-places.ts';
import { attributesOf, chunkingOf } from '../members/index.ts';
import { attach, existingFiles, getVectorStore, writableVectorStore } from '../vector-store/index.ts';
import { vectorStoreFileModel } from './model.ts';
import { storeFilePage } from './page.ts';

type Place = { vectorStoreId: string; id: string };
type ListArguments = CursorArguments & {
  vectorStoreId: string;
  filter?: VectorStoreFileStatus | null | undefined;
};

export async function listStoreFiles(
  context: GraphContext,
  { vectorStoreId, filter, ...args }: ListArguments,
) {
  await getVectorStore(context, vectorStoreId);
  return storeFilePage(context, { storeId: vectorStoreId, within: { storeId: vectorStoreId }, filter, args });
}

export async function getStoreFile(
  context: GraphContext,
  { vectorStoreId, id }: Place,
): Promise<VectorStoreFileDocument> {
  requireId('vector_store', vectorStoreId);
  requireId('file', id);
  const tenant = visible(requireReader(context));
  const found = await vectorStoreFileModel(context.db)
    .findOne({ _id: storeFileId(vectorStoreId, id), ...tenant })
    .lean<VectorStoreFileDocument>();
  if (!found) throw notFound('file', id);
  return found;
}

/** The text of a file; a file that is not indexed has none. */
export async function getStoreFileContent(context: GraphContext, place: Place) {
  const file = await getStoreFile(context, place);
  const isIndexed = file.status === 'completed' && file.generation !== null;
  const texts = isIndexed ? await context.knowledge.textsOf(file, file.generation ?? 0) : [];
  return { data: texts.map((text) => ({ text })), hasMore: false, nextPage: null };
}

export async function createStoreFile(
  context: GraphContext,
  vectorStoreId: string,
  { fileId, attributes, chunkingStrategy }: CreateVectorStoreFileInput,
): Promise<VectorStoreFileDocument> {
  const store = await writableVectorStore(context, vectorStoreId);
  const named = {
    fileId,
    attributes: attributesOf(attributes, 'input.attributes'),
    chunking: chunkingOf(chunkingStrategy, 'input.chunkingStrategy'),
  };
  const files = await existingFiles(context, store, [named]);
  await attach(context, store, { files, batchId: null });
  return getStoreFile(context, { vectorStoreId, id: fileId });
}

export async function updateStoreFile(
  context: GraphContext,
  { vectorStoreId, id }: Place,
  input: UpdateVectorStoreFileInput,
): Promise<VectorStoreFileDocument> {
  const { organisationId, workspaceId } = await writableVectorStore(context, vectorStoreId);
  requireId('file', id);
  const attributes = attributesOf(input.attributes, 'input.attributes');
  const updated = await vectorStoreFileModel(context.db)
    .findOneAndUpdate(
      { _id: storeFileId(vectorStoreId, id), organisationId, workspaceId },
      { $set: { attributes, lastUpdatedAt: context.now() }, $inc: { attributesVersion: 1 } },
      { returnDocument: 'after' },
    )
    .lean<VectorStoreFileDocument>();
  if (!updated) throw notFound('file', id);
  await context.knowledge.touch(vectorStoreId);
  return updated;
}

/** The file itself stays. */
export async function deleteStoreFile(context: GraphContext, { vectorStoreId, id }: Place): Promise<string> {
  await writableVectorStore(context, vectorStoreId);
  requireId('file', id);
  const detached = await context.knowledge.detach(vectorStoreId, id);
  if (!detached) throw notFound('file', id);
  await rememberPlace(context, vectorStoreId, detached);
  return id;
}
