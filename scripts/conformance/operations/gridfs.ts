import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Document, GridFSBucketWriteStream, ObjectId } from 'mongodb';
import { NotApplicable } from '../problems.ts';
import { hexBytes } from '../special-operators.ts';
import type { Arguments } from './arguments.ts';
import type { Operations } from './table.ts';

const uploadBytes = async (source: Document, stream: GridFSBucketWriteStream) => {
  await pipeline(Readable.from([hexBytes(source.$$hexBytes)]), stream);
  return stream.id;
};

/** The bytes stand for the string of the format, which asserts them by `$$matchesHexBytes` alone. */
const downloadBytes = async (stream: Readable) => Buffer.concat((await stream.toArray()) as Buffer[]);

/** What the driver's upload does not know: it never computes an MD5, and has no content type. */
function uploadOptions(args: Arguments): object {
  args.take('disableMD5', true);
  if (args.take('contentType', '')) throw new NotApplicable('the driver has no contentType');
  return args.options();
}

const missing = (name: string) => async () => {
  throw new NotApplicable(`the driver has no ${name}`);
};

export const bucketOperations: Operations<'bucket'> = {
  upload: async (bucket, args) => {
    const source = args.take<Document>('source');
    const filename = args.take<string>('filename');
    return await uploadBytes(source, bucket.openUploadStream(filename, uploadOptions(args)));
  },
  uploadWithId: async (bucket, args) => {
    const source = args.take<Document>('source');
    const filename = args.take<string>('filename');
    const id = args.take<ObjectId>('id');
    return await uploadBytes(source, bucket.openUploadStreamWithId(id, filename, uploadOptions(args)));
  },
  download: async (bucket, args) =>
    await downloadBytes(bucket.openDownloadStream(args.take<ObjectId>('id'), args.options())),
  downloadByName: async (bucket, args) =>
    await downloadBytes(bucket.openDownloadStreamByName(args.take<string>('filename'), args.options())),
  delete: async (bucket, args) => await bucket.delete(args.take<ObjectId>('id'), args.options()),
  rename: async (bucket, args) => {
    await bucket.rename(args.take<ObjectId>('id'), args.take<string>('newFilename'), args.options());
  },
  drop: async (bucket, args) => await bucket.drop(args.options()),
  find: async (bucket, args) => await bucket.find(args.take('filter', {}), args.options()).toArray(),
  deleteByName: missing('deleteByName'),
  renameByName: missing('renameByName'),
};
