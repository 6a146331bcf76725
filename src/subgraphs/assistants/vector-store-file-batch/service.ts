import { GatewayError } from '../../../errors/index.ts';
import type { VectorStoreFileBatchDocument } from '../../../knowledge/index.ts';
import { randomId } from '../../../runs/ids.ts';
import type { GraphContext } from '../../context.ts';
import type { CursorArguments } from '../../cursor-page.ts';
import type { CreateVectorStoreFileBatchInput, VectorStoreFileStatus } from '../../types.generated.ts';
import { notFound, requireId, requireReader, requireWriter, visible } from '../caller.ts';
import { attributesOf, chunkingOf } from '../members/index.ts';
import { attach, existingFiles, type NamedFile, writableVectorStore } from '../vector-store/index.ts';
import { storeFilePage } from '../vector-store-file/index.ts';
import { vectorStoreFileBatchModel } from './model.ts';

type Place = { vectorStoreId: string; id: string };
type ListArguments = CursorArguments & {
  vectorStoreId: string;
  batchId: string;
  filter?: VectorStoreFileStatus | null | undefined;
};

export async function getBatch(
  context: GraphContext,
  { vectorStoreId, id }: Place,
): Promise<VectorStoreFileBatchDocument> {
  requireId('vector_store', vectorStoreId);
  requireId('file_batch', id);
  const tenant = visible(requireReader(context));
  const found = await vectorStoreFileBatchModel(context.db)
    .findOne({ _id: id, storeId: vectorStoreId, ...tenant })
    .lean<VectorStoreFileBatchDocument>();
  if (!found) throw notFound('file_batch', id);
  return found;
}

export async function listBatchFiles(
  context: GraphContext,
  { vectorStoreId, batchId, filter, ...args }: ListArguments,
) {
  await getBatch(context, { vectorStoreId, id: batchId });
  return storeFilePage(context, { storeId: vectorStoreId, within: { batchId }, filter, args });
}

export async function createBatch(
  context: GraphContext,
  vectorStoreId: string,
  input: CreateVectorStoreFileBatchInput,
): Promise<VectorStoreFileBatchDocument> {
  const store = await writableVectorStore(context, vectorStoreId);
  const files = await existingFiles(context, store, namedFiles(input));
  const { organisationId, workspaceId } = store;
  const now = context.now();
  const batch: VectorStoreFileBatchDocument = {
    _id: randomId('vsfb'),
    ...{ organisationId, workspaceId, storeId: vectorStoreId },
    ...{ cancelledAt: null, createdAt: now, lastUpdatedAt: now },
  };
  // The files first: a batch that is there has all of them.
  await attach(context, store, { files, batchId: batch._id });
  await vectorStoreFileBatchModel(context.db).collection.insertOne(batch as never);
  return batch;
}

function namedFiles({ fileIds, files, ...common }: CreateVectorStoreFileBatchInput): NamedFile[] {
  if ((fileIds == null) === (files == null)) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'Name the files of a batch either in file_ids or in files.',
      param: fileIds == null ? 'input.fileIds' : 'input.files',
      reason: fileIds == null ? 'missing_required_parameter' : 'invalid_value',
    });
  }
  const attributes = attributesOf(common.attributes, 'input.attributes');
  const chunking = chunkingOf(common.chunkingStrategy, 'input.chunkingStrategy');
  if (fileIds != null) return fileIds.map((fileId) => ({ fileId, attributes, chunking }));
  return (files ?? []).map((file, at) => ({
    fileId: file.fileId,
    attributes: attributesOf(file.attributes, `input.files[${at}].attributes`),
    chunking: chunkingOf(file.chunkingStrategy, `input.files[${at}].chunkingStrategy`),
  }));
}

export async function cancelBatch(
  context: GraphContext,
  { vectorStoreId, id }: Place,
): Promise<VectorStoreFileBatchDocument> {
  const owner = requireWriter(context);
  requireId('vector_store', vectorStoreId);
  requireId('file_batch', id);
  const counts = (await context.knowledge.counts('batchId', [id])).get(id);
  const isOpen = counts !== undefined && counts.in_progress > 0;
  const batch = await vectorStoreFileBatchModel(context.db)
    .findOneAndUpdate(
      { _id: id, storeId: vectorStoreId, ...owner },
      isOpen ? { $set: { cancelledAt: context.now() } } : {},
      { returnDocument: 'after' },
    )
    .lean<VectorStoreFileBatchDocument>();
  if (!batch) throw notFound('file_batch', id);
  await context.knowledge.cancelBatch(batch);
  return batch;
}
