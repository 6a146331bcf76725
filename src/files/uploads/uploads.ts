import type { Collection } from 'mongodb';
import { GatewayError } from '../../errors/index.ts';
import { uuid } from '../../lib/ids.ts';
import type { Contents } from '../../storage/contents/index.ts';
import { type FileDocument, type FileOwner, MAX_UPLOAD_BYTES } from '../file.ts';
import type { Files } from '../files.ts';
import type { KeptContents } from '../kept-contents.ts';
import {
  MAX_PART_BYTES,
  MOST_PARTS,
  UPLOAD_TIME_MS,
  type UploadDocument,
  type UploadPartDocument,
} from './upload.ts';

export type NewUpload = Pick<
  UploadDocument,
  'filename' | 'purpose' | 'bytes' | 'mimeType' | 'createdBy' | 'fileLastsSeconds'
>;

/** What a completed upload has to be made of. */
export type Completion = { partIds: readonly string[]; md5: string | null };

export type Uploads = {
  create(owner: FileOwner, given: NewUpload): Promise<UploadDocument>;
  /** Throws NOT_FOUND. */
  find(owner: FileOwner, id: string): Promise<UploadDocument>;
  addPart(
    owner: FileOwner,
    id: string,
    content: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<UploadPartDocument>;
  /** Takes a part back whose request was refused after all. */
  removePart(part: UploadPartDocument): Promise<void>;
  /** Puts the parts together in the order of their ids, checks bytes and MD5, and makes the file. */
  complete(
    owner: FileOwner,
    id: string,
    completion: Completion,
    signal: AbortSignal,
  ): Promise<{ upload: UploadDocument; file: FileDocument }>;
  cancel(owner: FileOwner, id: string): Promise<UploadDocument>;
  /** Finds uploads whose time is over, and how what is left of them is removed. */
  expired(): Promise<(() => Promise<void>)[]>;
};

type Deps = {
  uploads(): Collection<UploadDocument>;
  parts(): Collection<UploadPartDocument>;
  kept: KeptContents;
  files: Pick<Files, 'receive' | 'keep' | 'giveUp'>;
  store: Contents;
  now(): Date;
};

/** Uploads that one look ends. */
const ROUND = 20;

export function createUploads({ uploads, parts, kept, files, store, now }: Deps): Uploads {
  async function find({ organisationId, workspaceId }: FileOwner, id: string): Promise<UploadDocument> {
    const found = await uploads().findOne({ _id: id, organisationId, workspaceId });
    if (!found) throw new GatewayError('NOT_FOUND', { message: `No upload found with id '${id}'.` });
    return found;
  }

  async function requirePending(owner: FileOwner, id: string): Promise<UploadDocument> {
    const upload = await find(owner, id);
    if (upload.status !== 'pending') throw notAllowed(`Upload ${id} is ${shownStatus(upload, now())}.`);
    if (upload.expiresAt <= now()) throw notAllowed(`Upload ${id} is expired.`);
    return upload;
  }

  /** Changes the status of an upload that has another one; false where somebody else was first. */
  async function change(
    { _id }: UploadDocument,
    from: UploadDocument['status'],
    set: Partial<UploadDocument>,
  ): Promise<boolean> {
    const { matchedCount } = await uploads().updateOne({ _id, status: from }, { $set: set });
    return matchedCount > 0;
  }

  async function removePart({ _id, contentName }: UploadPartDocument): Promise<void> {
    await parts().deleteOne({ _id });
    await kept.release(contentName, _id);
  }

  async function removeParts(uploadId: string): Promise<void> {
    for await (const part of parts().find({ uploadId })) await removePart(part);
  }

  /** The parts that a completion names, in its order. */
  async function partsOf(upload: UploadDocument, ids: readonly string[]): Promise<UploadPartDocument[]> {
    const stored = await parts().find({ uploadId: upload._id }).toArray();
    const byId = new Map(stored.map((part) => [part._id, part]));
    const named = ids.map(
      (id, index) => byId.get(id) ?? fail(`part_ids[${index}]`, 'names no part of the upload.'),
    );
    if (new Set(ids).size !== ids.length) fail('part_ids', 'names a part twice.');
    const bytes = named.reduce((sum, part) => sum + part.bytes, 0);
    if (bytes !== upload.bytes)
      fail('part_ids', `has parts of ${bytes} bytes in all; the upload was announced with ${upload.bytes}.`);
    return named;
  }

  async function* joined(named: readonly UploadPartDocument[]): AsyncGenerator<Buffer> {
    for (const { contentName } of named) {
      const content = await store.open(contentName);
      if (!content) throw new Error('The content of a part is lost.');
      for await (const chunk of content.read())
        yield Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length);
    }
  }

  async function fileOf(
    upload: UploadDocument,
    { partIds, md5 }: Completion,
    signal: AbortSignal,
  ): Promise<FileDocument> {
    const named = await partsOf(upload, partIds);
    const received = await files.receive(upload, joined(named), { maxBytes: MAX_UPLOAD_BYTES, signal });
    if (md5 !== null && md5.toLowerCase() !== received.md5) {
      await files.giveUp(received);
      fail('md5', `is not that of the parts, which have ${received.md5}.`);
    }
    const { filename, purpose, createdBy, fileLastsSeconds } = upload;
    const createdAt = now();
    const expiresAt =
      fileLastsSeconds === null ? null : new Date(createdAt.getTime() + fileLastsSeconds * 1000);
    return files.keep(upload, received, { filename, purpose, createdBy, createdAt, expiresAt });
  }

  return {
    find,
    removePart,
    async create({ organisationId, workspaceId }, given) {
      const createdAt = now();
      const upload: UploadDocument = {
        _id: `upload_${uuid().replaceAll('-', '')}`,
        ...{ organisationId, workspaceId },
        ...given,
        ...{ status: 'pending', fileId: null, createdAt },
        expiresAt: new Date(createdAt.getTime() + UPLOAD_TIME_MS),
      };
      await uploads().insertOne(upload);
      return upload;
    },
    async addPart(owner, id, content, signal) {
      const upload = await requirePending(owner, id);
      const stored = await parts().countDocuments({ uploadId: id }, { limit: MOST_PARTS });
      if (stored >= MOST_PARTS) throw notAllowed(`An upload has at most ${MOST_PARTS} parts.`);
      const received = await kept.receive(upload, content, { maxBytes: MAX_PART_BYTES, signal });
      const part: UploadPartDocument = {
        _id: `part_${uuid().replaceAll('-', '')}`,
        ...{ organisationId: upload.organisationId, workspaceId: upload.workspaceId, uploadId: id },
        ...{ bytes: received.bytes, contentName: received.name, createdAt: now() },
      };
      part.contentName = await kept.hold(upload, received, part._id);
      await parts().insertOne(part);
      return part;
    },
    async complete(owner, id, completion, signal) {
      const upload = await requirePending(owner, id);
      if (!(await change(upload, 'pending', { status: 'completing' })))
        throw notAllowed(`Upload ${id} is being completed.`);
      try {
        const file = await fileOf(upload, completion, signal);
        await change(upload, 'completing', { status: 'completed', fileId: file._id });
        await removeParts(id);
        return { upload: { ...upload, status: 'completed', fileId: file._id }, file };
      } catch (error) {
        // It may be completed once more, with other parts.
        await change(upload, 'completing', { status: 'pending' });
        throw error;
      }
    },
    async cancel(owner, id) {
      const upload = await requirePending(owner, id);
      if (!(await change(upload, 'pending', { status: 'cancelled' })))
        throw notAllowed(`Upload ${id} is being completed.`);
      await removeParts(id);
      return { ...upload, status: 'cancelled' };
    },
    async expired() {
      const before = new Date(now().getTime() - UPLOAD_TIME_MS);
      const ended = await uploads()
        .find({ expiresAt: { $lte: before } })
        .limit(ROUND)
        .toArray();
      return ended.map(({ _id }) => async () => {
        await removeParts(_id);
        await uploads().deleteOne({ _id });
      });
    },
  };
}

/** What callers see of the status of an upload. */
export const shownStatus = ({ status, expiresAt }: UploadDocument, now: Date): string => {
  if (status === 'completing') return 'pending';
  return status === 'pending' && expiresAt <= now ? 'expired' : status;
};

/** What the status of an upload does not allow. */
const notAllowed = (message: string): GatewayError => new GatewayError('VALIDATION_FAILED', { message });

function fail(param: string, problem: string): never {
  const details = { message: `${param} ${problem}`, param, reason: 'invalid_value' };
  throw new GatewayError('VALIDATION_FAILED', details);
}
