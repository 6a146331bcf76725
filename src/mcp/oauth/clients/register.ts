import type { Connection } from 'mongoose';
import { clientNetwork } from '../../../lib/http/addresses.ts';
import { uuid } from '../../../lib/ids.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import { OauthProblem } from '../problem.ts';
import type { OauthClient } from './client.ts';
import { type DescribedClient, readClientMetadata } from './metadata.ts';
import { oauthClientModel, registrationCountModel } from './model.ts';

/** Clients that one network may register in an hour. */
const REGISTRATIONS = 20;
const HOUR_MS = 3_600_000;

type Registration = {
  db: Connection;
  secrets: Pick<Secrets, 'generateKey' | 'hash'>;
  now: () => Date;
  /** Schemes of addresses that belong to programs. */
  redirectSchemes: readonly string[];
};

export type RegisteredClient = OauthClient & {
  /** Told once; null for a client that has none. */
  secret: string | null;
  createdAt: Date;
};

/** Keeps a client that describes itself. Throws an OauthProblem for a wrong description, and for too many of them. */
export async function registerClient(
  { db, secrets, now, redirectSchemes }: Registration,
  body: unknown,
  address: string,
): Promise<RegisteredClient> {
  const described: DescribedClient = readClientMetadata(body, redirectSchemes, 'client_secret_basic');
  const createdAt = now();
  await countRegistration(db, address, createdAt);
  const hasSecret = described.authMethod.startsWith('client_secret');
  const secret = hasSecret ? secrets.generateKey() : null;
  const client = {
    ...described,
    id: `mcp_${uuid()}`,
    secretHash: secret === null ? null : secrets.hash(secret),
  };
  const { id, ...stored } = client;
  await oauthClientModel(db).create({ ...stored, _id: id, createdAt, lastUsedAt: createdAt });
  return { ...client, secret, createdAt };
}

async function countRegistration(db: Connection, address: string, now: Date): Promise<void> {
  const hour = Math.floor(now.getTime() / HOUR_MS);
  const counted = await registrationCountModel(db)
    .findOneAndUpdate(
      { _id: `${hour} ${clientNetwork(address)}` },
      { $inc: { count: 1 }, $setOnInsert: { until: new Date((hour + 2) * HOUR_MS) } },
      { upsert: true, returnDocument: 'after' },
    )
    .lean<{ count: number }>();
  if ((counted?.count ?? 1) <= REGISTRATIONS) return;
  const retryAfter = Math.ceil(((hour + 1) * HOUR_MS - now.getTime()) / 1000);
  throw new OauthProblem('temporarily_unavailable', 'Too many clients were registered from this address.', {
    ...{ status: 429, retryAfter },
  });
}
