import type { Connection } from 'mongoose';
import { createFiles, type FileService, type Files, type FilesDeps } from '../files/index.ts';
import type { Settings } from '../settings/index.ts';
import { createContents } from '../storage/contents/index.ts';
import { nativeDb } from '../storage/native-db.ts';
import {
  fileContentModel,
  fileModel,
  uploadModel,
  uploadPartModel,
} from '../subgraphs/assistants/file/index.ts';

/** Keeps the files of this installation: contents beside those of exports, in folders of their own. */
export function createFileService(
  settings: Pick<Settings, 'exports' | 'files' | 'storage'>,
  deps: Pick<FilesDeps, 'db' | 'leases' | 'now' | 'log'>,
): FileService {
  const { exports, files, storage } = settings;
  const collection = <T extends { _id: string }>({ name }: { name: string }) =>
    nativeDb(deps.db).collection<T>(name);
  return createFiles({
    ...deps,
    files: () => collection(fileModel(deps.db).collection),
    contents: () => collection(fileContentModel(deps.db).collection),
    uploads: () => collection(uploadModel(deps.db).collection),
    parts: () => collection(uploadPartModel(deps.db).collection),
    store: createContents({
      bucket: exports.bucket,
      database: exports.isInDatabase ? () => nativeDb(deps.db) : null,
      dataDirectory: storage.dataDirectory,
      folder: 'files',
      prefix: 'files/',
    }),
    limits: { fileBytes: files.maxBytes, workspaceBytes: files.workspaceBytes },
    scanUrl: files.scanUrl,
  });
}

/** What lists files for the code interpreter. */
const LISTING = ['assistants', 'threads'];
const LIST = 'toolResources.code_interpreter.file_ids';

type Listing = { organisationId: string; workspaceId: string };

/** Takes each file that is deleted out of the lists of what code may use. */
export function forgetDeletedFiles(db: Connection, files: Pick<Files, 'onRemoved'>): void {
  files.onRemoved(async ({ _id, organisationId, workspaceId }) => {
    for (const name of LISTING)
      await nativeDb(db)
        .collection<Listing>(name)
        .updateMany({ [LIST]: _id, organisationId, workspaceId }, { $pull: { [LIST]: _id } } as object);
  });
}
