import type { Connection } from 'mongoose';
import { uuid } from '../../lib/ids.ts';
import type { Secrets } from '../../storage/secrets.ts';
import { type McpConnectionDocument, mcpConnectionModel } from './model.ts';
import type { ConnectionTokens } from './tokens.ts';

/** Whose tokens, and at which server. */
export type ConnectionOwner = { organisationId: string; mcpIntegrationId: string; userId: string };

/** A connection as it is stored, and its tokens in the clear. */
export type HeldConnection = { document: McpConnectionDocument; tokens: ConnectionTokens };

export type ConnectionStore = {
  /** The newest connection that is good for something; null for none. */
  read(owner: ConnectionOwner): Promise<HeldConnection | null>;
  /** Of an integration, that of whoever connected last. */
  readAny(mcpIntegrationId: string, issuer?: string): Promise<HeldConnection | null>;
  save(owner: ConnectionOwner, issuer: string, tokens: ConnectionTokens): Promise<void>;
  /** Puts others in the place of tokens; false where somebody else has done so meanwhile. Null takes them away. */
  replace(before: HeldConnection, after: ConnectionTokens | null): Promise<boolean>;
};

const newest = { lastUpdatedAt: -1, _id: -1 } as const;

export function createConnectionStore(
  db: Connection,
  secrets: Pick<Secrets, 'encrypt' | 'decrypt'>,
): ConnectionStore {
  const sealed = (id: string, tokens: ConnectionTokens) => secrets.encrypt(JSON.stringify(tokens), id);

  function opened(document: McpConnectionDocument | null): HeldConnection | null {
    if (document === null || document.sealedTokens === null) return null;
    try {
      const tokens = JSON.parse(secrets.decrypt(document.sealedTokens, document._id)) as ConnectionTokens;
      return { document, tokens };
    } catch {
      // What was sealed with another master key is of no use: the user signs in anew.
      return null;
    }
  }

  const find = (filter: object) =>
    mcpConnectionModel(db)
      .findOne({ ...filter, sealedTokens: { $ne: null } })
      .sort(newest)
      .lean<McpConnectionDocument>();

  return {
    read: async (owner) => opened(await find(owner)),
    readAny: async (mcpIntegrationId, issuer) =>
      opened(await find({ mcpIntegrationId, ...(issuer !== undefined && { issuer }) })),
    async save(owner, issuer, tokens) {
      const known = await mcpConnectionModel(db)
        .findOneAndUpdate(
          { ...owner, issuer },
          { $setOnInsert: { _id: uuid() } },
          { upsert: true, returnDocument: 'after' },
        )
        .lean<McpConnectionDocument>();
      if (!known) throw new Error('A connection was not kept.');
      await mcpConnectionModel(db).updateOne(
        { _id: known._id, organisationId: owner.organisationId },
        { $set: { sealedTokens: sealed(known._id, tokens) } },
      );
      // The issuer that was asked before is not asked any more.
      await mcpConnectionModel(db).deleteMany({ ...owner, issuer: { $ne: issuer } });
    },
    async replace({ document: { _id, organisationId, sealedTokens } }, after) {
      const { matchedCount } = await mcpConnectionModel(db).updateOne(
        { _id, organisationId, sealedTokens },
        { $set: { sealedTokens: after === null ? null : sealed(_id, after) } },
      );
      return matchedCount > 0;
    },
  };
}
