import type { CryptoKey } from 'jose';
import type { Connection } from 'mongoose';
import { GatewayError } from '../../errors/index.ts';
import { grownCache } from '../../lib/grown-cache.ts';
import type { Logger } from '../../lib/logger.ts';
import type { Changes } from '../changes.ts';
import { createLeases } from '../leases.ts';
import type { Secrets } from '../secrets.ts';
import { importKeys, type PublicJwk, type SigningKeyDocument, signingKeyModel } from './model.ts';
import { type Rotation, rotateByAge, withEnds } from './rotate.ts';

export { signingKeyModel } from './model.ts';
export { revokeAll, rotateNow } from './rotate.ts';

export type SigningKey = { id: string; privateKey: CryptoKey };

/** A published key as RFC 7517 has it. */
export type PublishedKey = PublicJwk & { kid: string; use: 'sig'; alg: 'ES256' };

export type SigningKeys = {
  /** The key that signs now. */
  current(): SigningKey;
  /** The public key of an id; null when no accepted key has it. The result is a promise only when the id is new. */
  find(id: string): CryptoKey | null | Promise<CryptoKey | null>;
  /** Every key that is accepted now or will be later. */
  published(): PublishedKey[];
  /** Makes the first key if there is none. */
  start(): Promise<void>;
  stop(): void;
};

type Loaded = {
  document: SigningKeyDocument;
  /**
   * Until when tokens of this key are accepted, in milliseconds since the epoch; null while no later key has taken
   * over.
   */
  acceptedUntil: number | null;
  publicKey: CryptoKey;
  privateKey: CryptoKey;
};

/** Milliseconds between looks at the age of the keys. */
const CHECK_INTERVAL = 24 * 60 * 60 * 1000;
/** The most ids that are remembered as unknown. */
const ABSENT = 10_000;

/** The ES256 keys that access tokens are signed with, shared by the processes of an installation. */
export function createSigningKeys(options: {
  db: Connection;
  secrets: Secrets;
  changes: Changes;
  now: () => Date;
  log: Logger;
}): SigningKeys {
  const { db, secrets, changes, now, log } = options;
  const rotation: Rotation = { db, secrets, now, leases: createLeases(log) };
  const absent = grownCache<true>(ABSENT);
  let keys = new Map<string, Loaded>();
  let reading: Promise<void> = Promise.resolve();
  let loading: Promise<void> | null = null;
  let timer: NodeJS.Timeout | undefined;

  async function read(): Promise<void> {
    const documents = await signingKeyModel(db).find().lean<SigningKeyDocument[]>();
    const loaded = withEnds(documents).map(async ({ key, acceptedUntil }): Promise<[string, Loaded]> => {
      const imported = keys.get(key._id) ?? (await importKeys(secrets, key));
      const { publicKey, privateKey } = imported;
      return [key._id, { document: key, acceptedUntil, publicKey, privateKey }];
    });
    keys = new Map(await Promise.all(loaded));
  }

  /** One read after the other: the result of an earlier one must not overwrite that of a later one. */
  async function load(): Promise<void> {
    reading = reading.then(read, read);
    try {
      await reading;
    } catch (cause) {
      throw new GatewayError('STORE_UNAVAILABLE', { cause });
    }
  }

  const accepted = (id: string): CryptoKey | null => {
    const key = keys.get(id);
    const isOver = !key || (key.acceptedUntil !== null && key.acceptedUntil < now().getTime());
    return isOver ? null : key.publicKey;
  };

  async function lookUp(id: string): Promise<CryptoKey | null> {
    // One read looks for all unknown ids that come at the same time.
    loading ??= load().finally(() => {
      loading = null;
    });
    await loading;
    if (!keys.has(id)) absent.set(id, true);
    return accepted(id);
  }

  async function check(): Promise<void> {
    if (await rotateByAge(rotation)) await changes.publish('signing_key');
  }

  changes.subscribe(async (kind) => {
    if (kind !== 'signing_key') return;
    absent.clear();
    await load();
  });

  return {
    current() {
      const time = now();
      const key = [...keys.values()].findLast(({ document }) => document.signsFrom <= time);
      if (!key) throw new Error('No signing key is loaded.');
      return { id: key.document._id, privateKey: key.privateKey };
    },
    find: (id) => (keys.has(id) || absent.has(id) ? accepted(id) : lookUp(id)),
    published: () =>
      [...keys.keys()].filter(accepted).map((id) => {
        const { publicJwk } = (keys.get(id) as Loaded).document;
        return { ...publicJwk, kid: id, use: 'sig', alg: 'ES256' };
      }),
    async start() {
      await check();
      await load();
      timer = setInterval(() => {
        check().catch((error: unknown) =>
          log.error({ error }, 'The signing keys could not be looked after.'),
        );
      }, CHECK_INTERVAL).unref();
    },
    stop: () => clearInterval(timer),
  };
}
