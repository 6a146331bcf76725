import type { Settings } from '../../../settings/index.ts';
import { type Contents, createContents } from '../../../storage/contents/index.ts';
import { nativeDb } from '../../../storage/native-db.ts';
import { createExportRunner, type ExportRunner, type RunnerOptions } from './runner.ts';

/** What writes the log exports of this installation, and where their contents are. */
export function createLogExports(
  { exports, storage, requestLogs }: Pick<Settings, 'exports' | 'storage' | 'requestLogs'>,
  dependencies: Omit<RunnerOptions, 'files' | 'retentionDays'>,
): ExportRunner & { files: Contents } {
  const { bucket, isInDatabase } = exports;
  const files = createContents({
    ...{ bucket, dataDirectory: storage.dataDirectory },
    database: isInDatabase ? () => nativeDb(dependencies.db) : null,
    ...{ folder: 'exports', prefix: '' },
  });
  const { retentionDays } = requestLogs;
  return { files, ...createExportRunner({ ...dependencies, files, retentionDays }) };
}
