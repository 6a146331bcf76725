import type { Connection } from 'mongoose';
import type { Files } from '../files/index.ts';
import { nativeDb } from '../storage/native-db.ts';

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
