import { join } from 'node:path';
import type { S3Bucket } from '../../settings/exports.ts';
import type { Contents } from './contents.ts';
import { contentsOnDisk } from './disk.ts';
import { contentsInS3 } from './s3.ts';

export type { ByteRange, Contents, StoredContent } from './contents.ts';

type Place = {
  /** Null for the disk. */
  bucket: S3Bucket | null;
  dataDirectory: string;
  /** In the data directory. */
  folder: string;
  /** What names in the bucket begin with. */
  prefix: string;
};

/** Contents are objects of the bucket, where there is one, else files in a folder of the data directory. */
export const createContents = ({ bucket, dataDirectory, folder, prefix }: Place): Contents =>
  bucket ? contentsInS3(bucket, prefix) : contentsOnDisk(join(dataDirectory, folder));
