import type { Collection } from 'mongodb';
import type { VectorSegmentDocument, VectorStoreFileDocument } from '../documents.ts';
import type { QuantisedVectors } from '../embed/quantise.ts';
import { chunksIn, packed, type TextChunk } from './pack.ts';

/** How long a segment stays whose file has not been ended, in milliseconds. */
const PROVISIONAL_MS = 3_600_000;

export type Segments = ReturnType<typeof createSegments>;

/** The chunks of a file with the vectors of one form. */
export type WrittenForm = { chunks: TextChunk[]; vectors: QuantisedVectors; sign: string | undefined };

type OfFile = Pick<VectorStoreFileDocument, 'storeId' | 'fileId'>;

/** The segments of files: what is durable of a vector store. */
export function createSegments(collection: () => Collection<VectorSegmentDocument>) {
  const ofFile = ({ storeId, fileId }: OfFile) => ({ storeId, fileId });

  return {
    /** Writes the segments of a generation; answers their bytes. They go by themselves unless `keep` is called. */
    async write(
      file: VectorStoreFileDocument,
      generation: number,
      { chunks, vectors, sign, now }: WrittenForm & { now: Date },
    ): Promise<number> {
      const { _id, organisationId, workspaceId, storeId, fileId } = file;
      const provisionalUntil = new Date(now.getTime() + PROVISIONAL_MS);
      let bytes = 0;
      for (const [place, segment] of (await packed(chunks, vectors)).entries()) {
        bytes += segment.bytes;
        await collection().replaceOne(
          { _id: `${_id}/${generation}/${place}` },
          {
            ...{ organisationId, workspaceId, storeId, fileId, generation, place },
            ...segment,
            ...(sign !== undefined && { sign }),
            provisionalUntil,
          },
          { upsert: true },
        );
      }
      return bytes;
    },
    /** How many numbers the vectors of a form of a store have; null where it has none yet. */
    async dimensionsOf(storeId: string, sign: string | undefined): Promise<number | null> {
      const form = { storeId, sign: sign ?? { $exists: false } };
      const found = await collection().findOne(form, { projection: { dimensions: 1 } });
      return found?.dimensions ?? null;
    },
    /** Makes the segments of a generation stay. */
    async keep(file: OfFile, generation: number): Promise<void> {
      await collection().updateMany({ ...ofFile(file), generation }, { $unset: { provisionalUntil: '' } });
    },
    async drop(file: OfFile, generation: number): Promise<void> {
      await collection().deleteMany({ ...ofFile(file), generation });
    },
    /** Drops the segments of a file from before a generation; those of a later claim may be there already, and stay. */
    async dropBefore(file: OfFile, generation: number): Promise<void> {
      await collection().deleteMany({ ...ofFile(file), generation: { $lt: generation } });
    },
    async dropFile(file: OfFile): Promise<void> {
      await collection().deleteMany(ofFile(file));
    },
    async dropStore(storeId: string): Promise<void> {
      await collection().deleteMany({ storeId });
    },
    read: (file: OfFile, generation: number): AsyncIterable<VectorSegmentDocument> =>
      collection()
        .find({ ...ofFile(file), generation })
        .sort({ place: 1 }),
    /** The chunks of a generation, in order. */
    async chunks(file: OfFile, generation: number): Promise<TextChunk[]> {
      const found = collection()
        .find({ ...ofFile(file), generation }, { projection: { chunks: 1 } })
        .sort({ place: 1 });
      const chunks: TextChunk[] = [];
      for await (const segment of found) for (const chunk of await chunksIn(segment)) chunks.push(chunk);
      return chunks;
    },
    /** The text of a file, a part a segment; what chunks have twice is told once. */
    async texts(file: OfFile, generation: number): Promise<string[]> {
      const found = collection()
        .find({ ...ofFile(file), generation }, { projection: { chunks: 1 } })
        .sort({ place: 1 });
      const texts: string[] = [];
      let told = 0;
      for await (const segment of found) {
        let text = '';
        for (const chunk of await chunksIn(segment)) {
          text += chunk.text.slice(Math.max(0, told - chunk.start));
          told = chunk.end;
        }
        texts.push(text);
      }
      return texts;
    },
  };
}
