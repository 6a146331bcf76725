import { join } from 'node:path';
import type { Db } from 'mongodb';
import type { S3Bucket } from '../../settings/exports.ts';
import type { Contents } from './contents.ts';
import { contentsOnDisk } from './disk.ts';
import { contentsInGridFs } from './gridfs.ts';
import { contentsInS3 } from './s3.ts';

export type { ByteRange, Contents, StoredContent } from './contents.ts';

type Place = {
  /** Null for another place. */
  bucket: S3Bucket | null;
  /** The database, where contents lie in it; null for another place. */
  database: (() => Db) | null;
  dataDirectory: string;
  /** In the data directory, and in names of the database. */
  folder: string;
  /** What names in the bucket begin with. */
  prefix: string;
};

/** Contents are objects of the bucket, or files in the database, or else files in a folder of the data directory. */
export function createContents({ bucket, database, dataDirectory, folder, prefix }: Place): Contents {
  if (bucket) return contentsInS3(bucket, prefix);
  if (database) return contentsInGridFs(database, `gridfs_${folder}`);
  return contentsOnDisk(join(dataDirectory, folder));
}
