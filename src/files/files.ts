import type { Collection } from 'mongodb';
import { uuid } from '../lib/ids.ts';
import type { Contents, StoredContent } from '../storage/contents/index.ts';
import { type FileDocument, type FileOwner, type FilePurpose, notExpired } from './file.ts';
import type { ContentReception, KeptContents, ReceivedContent } from './kept-contents.ts';
import type { FileScan } from './scan.ts';

/** What a file is called and for. */
export type NewFile = {
  filename: string;
  purpose: FilePurpose;
  expiresAt: Date | null;
  createdBy: string;
  /** The moment from which its end was counted; now where that is absent. */
  createdAt?: Date;
};

export type RemovedListener = (file: FileDocument) => Promise<void>;

export type Files = {
  /** Stores a file that the gateway has made; whoever aborts `signal`, or gives a content that breaks off, leaves nothing. */
  store(
    given: NewFile & { owner: FileOwner },
    content: AsyncIterable<Buffer>,
    signal: AbortSignal,
  ): Promise<FileDocument>;
  /** Stores a content that a caller brings, once it was scanned, and whose file is not known yet: `keep` or `giveUp` follow. */
  receive(
    owner: FileOwner,
    content: AsyncIterable<Buffer>,
    reception: Partial<ContentReception> & Pick<ContentReception, 'signal'>,
  ): Promise<ReceivedContent>;
  keep(owner: FileOwner, received: ReceivedContent, given: NewFile): Promise<FileDocument>;
  giveUp(received: ReceivedContent): Promise<void>;
  /** Null for a file of another workspace, and for one that has expired. */
  find(owner: FileOwner, id: string): Promise<FileDocument | null>;
  /** Null where the content is lost. */
  open(file: Pick<FileDocument, 'contentName'>): Promise<StoredContent | null>;
  /** False where there is no such file. */
  remove(owner: FileOwner, id: string): Promise<boolean>;
  /** Is told of each file that goes, before it is gone: where it fails, the file stays. */
  onRemoved(listener: RemovedListener): void;
};

type Deps = {
  files(): Collection<FileDocument>;
  kept: KeptContents;
  store: Contents;
  maxBytes: number;
  /** Null where nobody scans. */
  scan: FileScan | null;
  changed(owner: FileOwner): void;
  now(): Date;
};

export function createFileStore({ files, kept, store, maxBytes, scan, changed, now }: Deps) {
  const listeners: RemovedListener[] = [];

  async function keep(owner: FileOwner, received: ReceivedContent, given: NewFile): Promise<FileDocument> {
    const _id = `file-${uuid().replaceAll('-', '')}`;
    const { organisationId, workspaceId } = owner;
    const { bytes, sha256 } = received;
    const { filename, purpose, expiresAt, createdBy, createdAt = now() } = given;
    const contentName = await kept.hold(owner, received, _id);
    const file: FileDocument = {
      ...{ _id, organisationId, workspaceId, filename, purpose, bytes, sha256, contentName },
      ...{ createdAt, expiresAt, createdBy },
    };
    try {
      await files().insertOne(file);
    } catch (error) {
      // Where this fails, too, the repair finds a content without its file.
      await kept.release(contentName, _id).catch(() => undefined);
      throw error;
    }
    changed(owner);
    return file;
  }

  const receive: Files['receive'] = async (owner, content, reception) => {
    const received = await kept.receive(owner, content, { maxBytes, ...reception });
    if (scan === null) return received;
    try {
      const stored = await store.open(received.name);
      if (!stored) throw new Error('A content was given up before it was scanned.');
      await scan(stored, reception.signal);
      return received;
    } catch (error) {
      await kept.drop(received);
      throw error;
    }
  };

  const find: Files['find'] = ({ organisationId, workspaceId }, id) =>
    files().findOne({ _id: id, organisationId, workspaceId, ...notExpired(now()) });

  async function removeFile(file: FileDocument): Promise<boolean> {
    for (const listener of listeners) await listener(file);
    const { deletedCount } = await files().deleteOne({ _id: file._id });
    if (deletedCount === 0) return false;
    await kept.release(file.contentName, file._id);
    changed(file);
    return true;
  }

  const own: Files = {
    async store({ owner, ...given }, content, signal) {
      const received = await kept.receive(owner, content, { maxBytes, signal });
      return keep(owner, received, given);
    },
    receive,
    keep,
    giveUp: kept.drop,
    find,
    open: ({ contentName }) => store.open(contentName),
    async remove(owner, id) {
      const file = await find(owner, id);
      return file !== null && removeFile(file);
    },
    onRemoved: (listener) => void listeners.push(listener),
  };
  return { ...own, removeFile };
}
