import type { GraphContext } from '../../src/subgraphs/context.ts';
import { findScimGroups, groupMemberIds } from '../../src/subgraphs/identity/scim-group/index.ts';
import type { ScimGroup } from '../../src/subgraphs/types.generated.ts';
import { idOf, locationOf, type ScimEndpoint, type ScimExchange } from './exchange.ts';
import { ScimFault } from './fault.ts';
import { listQueryOf, listResponse } from './list-query.ts';
import { patchGroup } from './patch-group.ts';
import { isWanted, projected, projectionOf } from './projection.ts';
import { readGroup, readNewGroup } from './read-group.ts';
import { schemaIds } from './schema-ids.ts';

/** Members that one answer shows, of all of its groups. */
const MAX_MEMBERS = 20_000;

/** What the operations select of a group. */
type Shown = Pick<ScimGroup, 'id' | 'displayName'> & {
  externalId?: string | null;
  createdAt: Date | string;
  lastUpdatedAt: Date | string;
};

async function bodiesOf({ context, query }: ScimExchange, groups: Shown[]): Promise<object[]> {
  const projection = projectionOf(query);
  const members = isWanted(projection, 'members') ? await membersOf(context, groups) : null;
  return groups.map((group) =>
    projected(resourceOf(context, group, members?.get(group.id) ?? []), projection),
  );
}

/** Whoever may change groups but read none gets no members. */
async function membersOf(context: GraphContext, groups: Shown[]) {
  if (!context.principal?.scopes.has('organisation_users.read')) return null;
  const ids = groups.map(({ id }) => id);
  const found = await groupMemberIds(context, ids, MAX_MEMBERS);
  if (found) return found;
  throw new ScimFault(
    'tooMany',
    `The groups have more than ${MAX_MEMBERS} members; ask with excludedAttributes=members, or for fewer groups.`,
  );
}

function resourceOf(context: GraphContext, group: Shown, members: string[]): Record<string, unknown> {
  const { id, displayName, externalId } = group;
  return {
    schemas: [schemaIds.group],
    id,
    ...(externalId && { externalId }),
    displayName,
    members: members.map((value) => ({ value, $ref: locationOf(context, `Users/${value}`), type: 'User' })),
    meta: {
      resourceType: 'Group',
      created: group.createdAt,
      lastModified: group.lastUpdatedAt,
      location: locationOf(context, `Groups/${id}`),
    },
  };
}

const update = (exchange: ScimExchange, input: object) =>
  exchange.run<Shown>('updateGroup', { id: idOf(exchange), input }, exchange.context);

const answered = async (exchange: ScimExchange, status: number, group: Shown) => {
  const [body] = await bodiesOf(exchange, [group]);
  return { status, body: body ?? {} };
};

/** `/Groups` */
export const groupList: ScimEndpoint = {
  async GET(exchange) {
    const found = await findScimGroups(exchange.context, listQueryOf(exchange.query));
    const shown = found.resources.map((group) => ({ ...group, id: group._id, displayName: group.name }));
    return { status: 200, body: listResponse(found, await bodiesOf(exchange, shown)) };
  },
  async POST(exchange) {
    const input = readNewGroup(await exchange.readBody());
    const group = await exchange.run<Shown>('createGroup', { input }, exchange.context);
    const location = locationOf(exchange.context, `Groups/${group.id}`);
    return { ...(await answered(exchange, 201, group)), location };
  },
};

/** `/Groups/{id}` */
export const oneGroup: ScimEndpoint = {
  async GET(exchange) {
    const group = await exchange.run<Shown>('getGroup', { id: idOf(exchange) }, exchange.context);
    return answered(exchange, 200, group);
  },
  async PUT(exchange) {
    return answered(exchange, 200, await update(exchange, readGroup(await exchange.readBody())));
  },
  /** Without a body, as Entra ID advises: the whole list of members would be in it. */
  async PATCH(exchange) {
    await update(exchange, patchGroup(await exchange.readBody(), idOf(exchange)));
    return { status: 204 };
  },
  async DELETE(exchange) {
    await exchange.run('deleteGroup', { id: idOf(exchange) }, exchange.context);
    return { status: 204 };
  },
};
