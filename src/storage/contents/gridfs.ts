import type { Writable } from 'node:stream';
import { type Db, GridFSBucket, type GridFSFile } from 'mongodb';
import type { ByteRange, Contents } from './contents.ts';

/** Bytes that lie in one document of the database. */
const CHUNK_BYTES = 1024 * 1024;

/** Files of GridFS in the database itself; they have their own names as ids. A file is there once its last chunk is. */
export function contentsInGridFs(db: () => Db, bucketName: string): Contents {
  const bucket = () => new GridFSBucket(db(), { bucketName, chunkSizeBytes: CHUNK_BYTES });
  // The types of the driver know no other ids than its own; the format takes any.
  const idOf = (name: string) => name as never;

  async function remove(name: string): Promise<void> {
    // The file goes first: whoever finds it finds all its chunks. Those of a writer that died have no file.
    await db().collection<{ _id: string }>(`${bucketName}.files`).deleteOne({ _id: name });
    await db().collection<{ files_id: string }>(`${bucketName}.chunks`).deleteMany({ files_id: name });
  }

  async function* read(name: string, range?: ByteRange): AsyncGenerator<Uint8Array> {
    const part = range && { start: range.start, end: range.end + 1 };
    yield* bucket().openDownloadStream(idOf(name), part);
  }

  return {
    async write(name, content, signal) {
      await remove(name);
      const stream = bucket().openUploadStream(name, { id: idOf(name) });
      // Each write tells of its failure itself.
      stream.on('error', () => undefined);
      try {
        for await (const chunk of content) {
          signal.throwIfAborted();
          await written(stream, chunk);
        }
        signal.throwIfAborted();
        await ended(stream);
      } catch (error) {
        stream.destroy();
        // No chunk is on its way any more: each was waited for.
        // Whoever writes has an entry of the name, by which the repair finds what stays here.
        await remove(name).catch(() => undefined);
        throw error;
      }
    },
    remove,
    link: async () => null,
    async open(name) {
      const [found] = await bucket()
        .find({ _id: idOf(name) })
        .limit(1)
        .toArray();
      return found ? { bytes: (found as GridFSFile).length, read: (range) => read(name, range) } : null;
    },
  };
}

/** Resolves when the stream has stored what it was given, or keeps it for its next chunk. */
const written = (stream: Writable, chunk: Buffer): Promise<void> =>
  settled((done) => void stream.write(chunk, done));

const ended = (stream: Writable): Promise<void> => settled((done) => void stream.end(done));

/** Resolves or rejects by the callback of Node.js. */
function settled(act: (done: (error?: Error | null) => void) => void): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  act((error) => (error ? reject(error) : resolve()));
  return promise;
}
