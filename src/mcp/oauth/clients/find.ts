import type { Connection } from 'mongoose';
import { unknownClient } from '../problem.ts';
import type { OauthClient } from './client.ts';
import type { DescribedClients } from './metadata-document.ts';
import { type OauthClientDocument, oauthClientModel } from './model.ts';

const MAX_LENGTH = 2048;

/** A client by its id, wherever its description stands. Throws an OauthProblem for one that is not known. */
export async function findClient(
  db: Connection,
  described: DescribedClients,
  clientId: string,
): Promise<OauthClient> {
  if (clientId === '' || clientId.length > MAX_LENGTH) throw unknownClient();
  if (described.isAddress(clientId)) return described.get(clientId);
  const found = await oauthClientModel(db).findById(clientId).lean<OauthClientDocument>();
  if (!found) throw unknownClient();
  const { _id: id, ...client } = found;
  return { ...client, id };
}

/** Notes that a client is in use, so that it is not forgotten. */
export async function noteClientUse(db: Connection, clientId: string, now: Date): Promise<void> {
  await oauthClientModel(db).updateOne({ _id: clientId }, { $set: { lastUsedAt: now } });
}
