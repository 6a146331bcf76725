import type { Settings } from '../../../settings/index.ts';
import { createExportFiles, type ExportFiles } from '../../../storage/export-files/index.ts';
import { createExportRunner, type ExportRunner, type RunnerOptions } from './runner.ts';

/** What writes the log exports of this installation, and where their contents are. */
export function createLogExports(
  { exports, storage, requestLogs }: Pick<Settings, 'exports' | 'storage' | 'requestLogs'>,
  dependencies: Omit<RunnerOptions, 'files' | 'retentionDays'>,
): ExportRunner & { files: ExportFiles } {
  const files = createExportFiles(exports.bucket, storage.dataDirectory);
  const { retentionDays } = requestLogs;
  return { files, ...createExportRunner({ ...dependencies, files, retentionDays }) };
}
