import type { Connection } from 'mongoose';
import { ACCESS_TOKEN_SECONDS, MCP_TOKEN_SECONDS } from '../../auth/index.ts';
import type { Leases } from '../leases.ts';
import type { Secrets } from '../secrets.ts';
import { newSigningKey, type SigningKeyDocument, signingKeyModel } from './model.ts';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** Milliseconds that a key signs before another one takes over. */
const MAX_AGE = 30 * DAY;
/**
 * Milliseconds for which a key is published before it signs, so that everybody who caches the key set has fetched it
 * again.
 */
const LEAD = 5 * MINUTE;
/**
 * Milliseconds for which a key is accepted after it signed last: the life of a token, and the difference between
 * clocks.
 */
const TAIL = Math.max(ACCESS_TOKEN_SECONDS, MCP_TOKEN_SECONDS) * 1000 + MINUTE;
/** Milliseconds to wait for another process that looks after the keys. */
const PATIENCE = 10_000;

export type Rotation = {
  db: Connection;
  secrets: Secrets;
  leases: Leases;
  now: () => Date;
};

/**
 * The keys, oldest first, each with the time until which its tokens are accepted; null while no other key has taken
 * over.
 */
export function withEnds(
  keys: SigningKeyDocument[],
): { key: SigningKeyDocument; acceptedUntil: number | null }[] {
  const ordered = keys.toSorted((a, b) => a.signsFrom.getTime() - b.signsFrom.getTime());
  return ordered.map((key, index) => {
    const next = ordered[index + 1];
    return { key, acceptedUntil: next ? next.signsFrom.getTime() + TAIL : null };
  });
}

/**
 * Makes the first key, or the next one when the newest is 30 days old, and removes expired keys. True when anything
 * changed.
 */
export const rotateByAge = (rotation: Rotation): Promise<boolean> =>
  alone(rotation, async () => {
    const keys = await signingKeyModel(rotation.db).find().lean<SigningKeyDocument[]>();
    const now = rotation.now().getTime();
    const newest = withEnds(keys).at(-1)?.key;
    const over = withEnds(keys).filter(({ acceptedUntil }) => acceptedUntil !== null && acceptedUntil < now);
    const isDue = !newest || newest.signsFrom.getTime() + MAX_AGE <= now;
    if (isDue) await insert(rotation, newest ? LEAD : 0);
    await remove(
      rotation,
      over.map(({ key }) => key),
    );
    return isDue || over.length > 0;
  });

/** Makes a key that takes over in five minutes, or at once if it is the first. */
export const rotateNow = (rotation: Rotation): Promise<SigningKeyDocument> =>
  alone(rotation, async () => insert(rotation, (await signingKeyModel(rotation.db).exists({})) ? LEAD : 0));

/** Makes a key that signs at once, and drops all others: every token issued before is refused from now on. */
export const revokeAll = (rotation: Rotation): Promise<SigningKeyDocument> =>
  alone(rotation, async () => {
    const others = await signingKeyModel(rotation.db).find().lean<SigningKeyDocument[]>();
    const key = await insert(rotation, 0);
    await remove(rotation, others);
    return key;
  });

/** Two processes that look at once must not both find a key missing. */
const alone = <T>({ db, leases }: Rotation, work: () => Promise<T>): Promise<T> =>
  leases.hold(db, 'signing keys', PATIENCE, work);

async function insert({ db, secrets, now }: Rotation, lead: number): Promise<SigningKeyDocument> {
  const createdAt = now();
  const key = await newSigningKey(secrets, createdAt, new Date(createdAt.getTime() + lead));
  await signingKeyModel(db).create(key);
  return key;
}

const remove = ({ db }: Rotation, keys: SigningKeyDocument[]) =>
  signingKeyModel(db).deleteMany({ _id: { $in: keys.map(({ _id }) => _id) } });
