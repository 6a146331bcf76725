import type { Connection } from 'mongoose';
import { createTable, type Table } from '../../../directory/table.ts';
import type { Changes } from '../../../storage/changes.ts';
import { type GrantHolder, type McpGrantDocument, mcpGrantModel } from './model.ts';

/** A grant as calls need it, in memory. */
export type McpGrantRecord = {
  readonly id: string;
  readonly organisationId: string;
  readonly workspaceId: string;
  readonly holder: GrantHolder;
  readonly clientId: string;
};

/** Grants by id; one that was taken back is gone here at once, and in every other process within a second. */
export type McpGrants = Table<McpGrantRecord>;

export function createMcpGrants(db: Connection, changes: Pick<Changes, 'subscribe'>): McpGrants {
  const table = createTable<McpGrantRecord>(
    (ids) => load(db, ids),
    // What is in memory of a grant never changes: it is there, or it is gone.
    (before) => before,
  );
  changes.subscribe(async (kind) => {
    if (kind === 'mcp_grant') await table.refresh();
  });
  return table;
}

async function load(db: Connection, ids: string[]): Promise<Map<string, McpGrantRecord>> {
  const found = await mcpGrantModel(db)
    .find(
      { _id: { $in: ids } },
      {
        organisationId: 1,
        workspaceId: 1,
        holder: 1,
        clientId: 1,
        generation: 1,
        codeUsedAt: 1,
        codeHash: 1,
      },
    )
    .lean<McpGrantDocument[]>();
  // Before its code was used, a grant has given nobody a token.
  return new Map(
    found
      .filter(({ codeHash, codeUsedAt }) => codeHash === null || codeUsedAt !== null)
      .map(({ _id: id, organisationId, workspaceId, holder, clientId }) => [
        id,
        { id, organisationId, workspaceId, holder, clientId },
      ]),
  );
}
