import { createHash } from 'node:crypto';
import type { Collection, Filter } from 'mongodb';
import { GatewayError } from '../errors/index.ts';
import { uuid } from '../lib/ids.ts';
import type { Logger } from '../lib/logger.ts';
import type { Contents } from '../storage/contents/index.ts';
import { isOutOfSpace } from '../storage/out-of-space.ts';
import type { FileOwner } from './file.ts';

/**
 * What is known of a content. It is written down before the content and removed after it, so that nothing lies in the
 * store that nobody knows of.
 */
export type ContentDocument = FileOwner & {
  /** Its name in `Contents`. */
  _id: string;
  state: 'writing' | 'stored' | 'removing';
  bytes: number;
  /** In hexadecimal; null while it is written. */
  sha256: string | null;
  /** Ids of the files, or of the part of an upload, whose content it is. */
  holders: string[];
  changedAt: Date;
};

/** A content that is stored and held by nobody yet. */
export type ReceivedContent = { name: string; bytes: number; sha256: string; md5: string };

export type ContentReception = {
  /** Bytes at most; null for no bound but that of the workspace. */
  maxBytes: number;
  signal: AbortSignal;
};

export type KeptContents = ReturnType<typeof createKeptContents>;

type Deps = {
  contents(): Collection<ContentDocument>;
  store: Contents;
  /** Bytes that a workspace may still store. */
  roomOf(owner: FileOwner): Promise<number>;
  now(): Date;
  log: Logger;
};

/** Holders of one content: beyond them an equal content is stored a second time. */
const MOST_HOLDERS = 1000;

/** Contents with counted references, equal ones of a workspace once. */
export function createKeptContents({ contents, store, roomOf, now, log }: Deps) {
  /** Stores a content while it arrives. What fails, or is aborted, leaves nothing. */
  async function receive(
    owner: FileOwner,
    content: AsyncIterable<Buffer>,
    { maxBytes, signal }: ContentReception,
  ): Promise<ReceivedContent> {
    const room = await roomOf(owner);
    const name = uuid();
    await contents().insertOne({
      ...{ _id: name, ...ownerOf(owner), state: 'writing', bytes: 0, sha256: null, holders: [] },
      changedAt: now(),
    });
    const [sha256, md5] = [createHash('sha256'), createHash('md5')];
    let bytes = 0;
    async function* measured() {
      for await (const chunk of content) {
        bytes += chunk.length;
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        if (bytes > room) throw quotaReached();
        sha256.update(chunk);
        md5.update(chunk);
        yield chunk;
      }
    }
    try {
      await store.write(name, measured(), signal);
    } catch (error) {
      await drop(name);
      throw isOutOfSpace(error) ? new GatewayError('STORE_FULL', { cause: error }) : error;
    }
    return { name, bytes, sha256: sha256.digest('hex'), md5: md5.digest('hex') };
  }

  /** Gives a received content to a holder; answers its name, which is that of an equal content where there is one. */
  async function hold(owner: FileOwner, received: ReceivedContent, holder: string): Promise<string> {
    const { name, bytes, sha256 } = received;
    const same = await contents().findOneAndUpdate(
      {
        ...ownerOf(owner),
        ...{ sha256, bytes, state: 'stored' as const },
        [`holders.${MOST_HOLDERS - 1}`]: { $exists: false },
      },
      { $push: { holders: holder }, $set: { changedAt: now() } },
    );
    if (same) {
      await drop(name);
      return same._id;
    }
    const { matchedCount } = await contents().updateOne(
      { _id: name, state: 'writing' },
      { $set: { state: 'stored', bytes, sha256, holders: [holder], changedAt: now() } },
    );
    if (matchedCount === 0) throw new Error('A content was given up before it was whole.');
    return name;
  }

  /** Takes a content from its holder; the last one takes it away. */
  async function release(name: string, holder: string): Promise<void> {
    await contents().updateOne({ _id: name }, { $pull: { holders: holder }, $set: { changedAt: now() } });
    await remove({ _id: name, state: 'stored', holders: { $size: 0 } });
  }

  /** Removes a content that a condition still holds for. */
  async function remove(filter: Filter<ContentDocument> & { _id: string }): Promise<void> {
    const { matchedCount } = await contents().updateOne(filter, { $set: { state: 'removing' } });
    if (matchedCount === 0) return;
    await store.remove(filter._id);
    await contents().deleteOne({ _id: filter._id, state: 'removing' });
  }

  /** Gives up a content that nobody holds; where that fails, the repair does it. */
  async function drop(name: string): Promise<void> {
    await remove({ _id: name, state: 'writing' }).catch((error: unknown) =>
      log.warn({ error, content: name }, 'A content that was given up is removed later.'),
    );
  }

  return { receive, hold, release, remove, drop: ({ name }: ReceivedContent) => drop(name) };
}

const ownerOf = ({ organisationId, workspaceId }: FileOwner): FileOwner => ({ organisationId, workspaceId });

const tooLarge = (maxBytes: number): GatewayError =>
  new GatewayError('BODY_TOO_LARGE', {
    message: `The file is larger than ${maxBytes} bytes, which is the most that a file may have.`,
    param: 'file',
  });

const quotaReached = (): GatewayError =>
  new GatewayError('VALIDATION_FAILED', {
    message: 'The files of the workspace have as many bytes as they may: delete some first.',
    param: 'file',
    reason: 'storage_limit_exceeded',
  });
