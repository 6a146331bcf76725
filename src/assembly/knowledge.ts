import { join } from 'node:path';
import type { Connection } from 'mongoose';
import type { ExtractText } from '../boxes/index.ts';
import type { Files } from '../files/index.ts';
import { createKnowledge, createSources, type Knowledge, type KnowledgeDeps } from '../knowledge/index.ts';
import type { HostedTool } from '../runs/index.ts';
import { createFileSearch, type FileSearchDeps } from '../runs/tools/file-search.ts';
import type { Settings } from '../settings/index.ts';
import { nativeDb } from '../storage/native-db.ts';
import { threadModel } from '../subgraphs/assistants/thread/index.ts';
import { vectorStoreModel } from '../subgraphs/assistants/vector-store/index.ts';
import { vectorSegmentModel, vectorStoreFileModel } from '../subgraphs/assistants/vector-store-file/index.ts';

type Given = Pick<KnowledgeDeps, 'dataplane' | 'changes' | 'secrets' | 'now' | 'log'> & {
  settings: Pick<Settings, 'storage' | 'vectorStores'>;
  db: Connection;
  files: Pick<Files, 'find' | 'open' | 'onRemoved'>;
  extractText: ExtractText;
};

/** What indexes and searches vector stores. A file that is removed leaves all of them. */
export function createKnowledgeService({ settings, db, files, extractText, ...deps }: Given): Knowledge {
  const collection = <T extends { _id: string }>({ name }: { name: string }) =>
    nativeDb(db).collection<T>(name);
  const knowledge = createKnowledge({
    ...deps,
    stores: () => collection(vectorStoreModel(db).collection),
    files: () => collection(vectorStoreFileModel(db).collection),
    segments: () => collection(vectorSegmentModel(db).collection),
    sources: createSources(files, extractText),
    cache: {
      directory: join(settings.storage.dataDirectory, 'cache', 'vector'),
      bytes: settings.vectorStores.cacheBytes,
    },
    engine: settings.vectorStores.engine,
    models: settings.vectorStores.models,
  });
  files.onRemoved(({ _id, workspaceId }) => knowledge.detachEverywhere({ workspaceId, fileId: _id }));
  return knowledge;
}

/** The tool that searches vector stores for models. */
export const createSearchTool = (
  db: Connection,
  deps: Pick<FileSearchDeps, 'knowledge' | 'secrets' | 'now'>,
): HostedTool =>
  createFileSearch({
    ...deps,
    stores: () => nativeDb(db).collection(vectorStoreModel(db).collection.name),
    threads: () => nativeDb(db).collection(threadModel(db).collection.name),
  });
