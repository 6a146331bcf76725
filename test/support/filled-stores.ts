import { embedLocally } from '../../src/knowledge/embed/local.ts';
import { quantise } from '../../src/knowledge/embed/quantise.ts';
import { storeFileId, type VectorStoreFileDocument } from '../../src/knowledge/index.ts';
import { packed } from '../../src/knowledge/segments/pack.ts';
import { randomId } from '../../src/runs/ids.ts';
import { vectorStoreModel } from '../../src/subgraphs/assistants/vector-store/index.ts';
import {
  vectorSegmentModel,
  vectorStoreFileModel,
} from '../../src/subgraphs/assistants/vector-store-file/index.ts';
import { vectorStoreFileBatchModel } from '../../src/subgraphs/assistants/vector-store-file-batch/model.ts';
import type { TestApp } from './app.ts';

type Owner = { organisationId: string; workspaceId: string };

/** Vector stores with the files, which the first has in one batch. Nothing of them waits to be indexed. */
export async function fillVectorStores(app: TestApp, owner: Owner, fileIds: readonly string[]) {
  const now = new Date();
  const common = { ...owner, createdAt: now, lastUpdatedAt: now };
  const storeIds = fileIds.map(() => randomId('vs'));
  const [vectorStoreId = ''] = storeIds;
  await vectorStoreModel(app.db).collection.insertMany(
    storeIds.map((_id, at) => ({
      ...{ _id, ...common, name: `Store ${at}`, description: 'Filled.', metadata: {} },
      ...{ expiresAfterDays: 7, lastActiveAt: now, expiresAt: new Date(now.getTime() + 7 * 86_400_000) },
      ...{ embedding: { model: 'local', dimensions: 1024 }, revision: 0 },
      // A change that was refused goes no further.
      next: { embedding: { model: '@filled/embedder', dimensions: 3 }, sign: 'filled', failure: 'Refused.' },
    })) as never,
  );
  const fileBatchId = randomId('vsfb');
  await vectorStoreFileBatchModel(app.db).collection.insertOne({
    ...{ _id: fileBatchId, ...common, storeId: vectorStoreId, cancelledAt: null },
  } as never);
  // The first of them is indexed, in as many segments as there are files.
  const files = storeIds.flatMap((storeId) =>
    fileIds.map(
      (fileId, at): VectorStoreFileDocument => ({
        ...{ _id: storeFileId(storeId, fileId), ...common, storeId, fileId },
        ...{ filename: 'filled.txt', batchId: storeId === vectorStoreId ? fileBatchId : null, usageBytes: 0 },
        ...(at === 0 ? { status: 'completed', generation: 1 } : { status: 'failed', generation: null }),
        lastError: { code: 'server_error', message: 'Filled.' },
        ...{ chunking: { size: 800, overlap: 400 }, attributes: {}, attributesVersion: 1 },
        ...{ owner: null, leaseUntil: null, fence: 1, attempt: 1 },
      }),
    ),
  );
  await vectorStoreFileModel(app.db).collection.insertMany(files as never);
  const vectors = quantise([embedLocally('Filled.')]);
  for (const [place] of fileIds.entries()) {
    const [segment] = await packed([{ start: place, end: place + 1, text: 'F' }], vectors);
    const fileId = fileIds[0] ?? '';
    await vectorSegmentModel(app.db).collection.insertOne({
      ...{
        _id: `${storeFileId(vectorStoreId, fileId)}/1/${place}`,
        ...owner,
        storeId: vectorStoreId,
        fileId,
      },
      ...{ generation: 1, place, ...segment },
    } as never);
  }
  return { vectorStoreId, fileBatchId };
}
