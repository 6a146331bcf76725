import { join } from 'node:path';
import type { S3Bucket } from '../../settings/exports.ts';
import { exportFilesOnDisk } from './disk.ts';
import type { ExportFiles } from './export-files.ts';
import { exportFilesInS3 } from './s3.ts';

export type { ExportFiles } from './export-files.ts';

/** Exports go to the bucket, where there is one, else to `exports` in the data directory. */
export const createExportFiles = (bucket: S3Bucket | null, dataDirectory: string): ExportFiles =>
  bucket ? exportFilesInS3(bucket) : exportFilesOnDisk(join(dataDirectory, 'exports'));
