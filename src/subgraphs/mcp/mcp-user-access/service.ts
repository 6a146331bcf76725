import type { Connection, QueryFilter } from 'mongoose';
import { invalidInput } from '../../../errors/index.ts';
import { uuid } from '../../../lib/ids.ts';
import { boundedRead, orTooSlow } from '../../bounded-read.ts';
import type { GraphContext } from '../../context.ts';
import { resourceFilter } from '../../filters.ts';
import { memberModel } from '../../identity/member/index.ts';
import { type UserDocument, userIdsAmong, userModel } from '../../identity/user/index.ts';
import type { QueryMcpServerUserAccessArgs, UpdateMcpUserAccessInput } from '../../types.generated.ts';
import { mcpConnectionModel } from '../mcp-connection/index.ts';
import { type McpServerDocument, mcpServerModel, requireMcpServer } from '../mcp-server/index.ts';
import { type McpUserEntry, mcpUserAccessModel } from './model.ts';

type Arguments = Required<Pick<QueryMcpServerUserAccessArgs, 'id' | 'page' | 'pageSize'>> &
  Pick<QueryMcpServerUserAccessArgs, 'search'>;

/** Who may call an MCP server: members of its workspace, and others that have an entry, by their addresses. */
export async function listMcpServerUserAccess(context: GraphContext, args: Arguments) {
  const server = await requireMcpServer(context, args.id, 'mcp_servers.read');
  const { db } = context;
  const entries = await entriesOf(db, server);
  const { total, users } = await usersOf(db, server, [...entries.keys()], args);
  const connected = await connectedAmong(
    db,
    server,
    users.map(({ _id }) => _id),
  );
  const data = users.map(({ _id: userId, firstName, lastName }) => ({
    userId,
    firstName: firstName || null,
    lastName: lastName || null,
    enabled: entries.get(userId) ?? server.defaultUserAccess === 'allow',
    hasOverride: entries.has(userId),
    connectionStatus: connected.has(userId) ? ('connected' as const) : ('not_connected' as const),
  }));
  const { defaultUserAccess } = server;
  return { total, data, defaultUserAccess, hasMore: args.page * args.pageSize < total };
}

async function entriesOf(
  db: Connection,
  { _id: mcpServerId, organisationId }: McpServerDocument,
): Promise<Map<string, boolean>> {
  const found = await mcpUserAccessModel(db)
    .find({ organisationId, mcpServerId }, { userId: 1, enabled: 1 })
    .lean<Pick<McpUserEntry, 'userId' | 'enabled'>[]>();
  return new Map(found.map(({ userId, enabled }) => [userId, enabled]));
}

async function usersOf(
  db: Connection,
  { organisationId, workspaceId }: McpServerDocument,
  withEntry: readonly string[],
  { page, pageSize, search }: Arguments,
) {
  const members: string[] = await memberModel(db).distinct('userId', { organisationId, workspaceId });
  const filter: QueryFilter<UserDocument> = {
    organisationId,
    _id: { $in: [...new Set([...members, ...withEntry])] },
    ...searched(search),
  };
  const model = userModel(db);
  const [total, users] = await Promise.all([
    orTooSlow(model.countDocuments(filter, boundedRead).exec()),
    orTooSlow(
      model
        .find(filter, { firstName: 1, lastName: 1 }, boundedRead)
        .sort({ email: 1, _id: 1 })
        .skip((page - 1) * pageSize)
        .limit(pageSize)
        .lean<Pick<UserDocument, '_id' | 'firstName' | 'lastName'>[]>()
        .exec(),
    ),
  ]);
  return { total, users };
}

function searched(search: string | null | undefined): QueryFilter<UserDocument> {
  const { name } = resourceFilter({ name: search });
  return name ? { $or: [{ firstName: name }, { lastName: name }, { email: name }] } : {};
}

async function connectedAmong(
  db: Connection,
  { organisationId, mcpIntegrationId }: McpServerDocument,
  userIds: readonly string[],
): Promise<Set<string>> {
  const found: string[] = await mcpConnectionModel(db).distinct('userId', {
    ...{ organisationId, mcpIntegrationId },
    ...{ userId: { $in: userIds }, sealedTokens: { $ne: null } },
  });
  return new Set(found);
}

/** Says who may call an MCP server. Nothing is changed where a user is unknown. */
export async function updateMcpServerUserAccess(
  context: GraphContext,
  id: string,
  { userAccess, defaultUserAccess }: UpdateMcpUserAccessInput,
) {
  const server = await requireMcpServer(context, id, 'mcp_servers.update');
  const { _id: mcpServerId, organisationId } = server;
  if (userAccess == null && defaultUserAccess == null)
    throw invalidInput('input', 'An update names user_access or default_user_access.');
  const entries = userAccess ?? [];
  await requireKnownUsers(context, organisationId, entries);
  if (defaultUserAccess != null)
    await mcpServerModel(context.db).updateOne({ _id: mcpServerId, organisationId }, { defaultUserAccess });
  const now = context.now();
  if (entries.length > 0)
    await mcpUserAccessModel(context.db).bulkWrite(
      entries.map(({ userId, enabled }) => ({
        updateOne: {
          filter: { mcpServerId, organisationId, userId },
          update: { $set: { enabled, lastUpdatedAt: now }, $setOnInsert: { _id: uuid(), createdAt: now } },
          upsert: true,
        },
      })),
      { timestamps: false },
    );
  await context.changes.publish('mcp_server');
  return { success: true };
}

async function requireKnownUsers(
  { db }: GraphContext,
  organisationId: string,
  entries: readonly { userId: string }[],
): Promise<void> {
  const ids = entries.map(({ userId }) => userId);
  const known = await userIdsAmong(db, organisationId, ids);
  ids.forEach((id, index) => {
    const param = `input.userAccess[${index}].userId`;
    if (!known.has(id)) throw invalidInput(param, `${param} names no user of this organisation.`);
    if (ids.indexOf(id) < index) throw invalidInput(param, `${param} names a user twice.`);
  });
}
