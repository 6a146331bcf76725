import type { GraphContext } from '../../src/subgraphs/context.ts';
import { findScimUsers } from '../../src/subgraphs/identity/scim-user/index.ts';
import { isActive, type UserDocument, userNameOf } from '../../src/subgraphs/identity/user/index.ts';
import type { User } from '../../src/subgraphs/types.generated.ts';
import { idOf, locationOf, type ScimEndpoint, type ScimExchange } from './exchange.ts';
import { listQueryOf, listResponse } from './list-query.ts';
import { patchUser } from './patch-user.ts';
import { projected, projectionOf } from './projection.ts';
import { readNewUser, readUser } from './read-user.ts';
import { schemaIds } from './schema-ids.ts';

/** What the operations select of a user. */
type Shown = Pick<User, 'id' | 'userName' | 'email' | 'firstName' | 'lastName' | 'status'> &
  Partial<Pick<User, 'displayName' | 'externalId'>> & {
    createdAt: Date | string;
    lastUpdatedAt: Date | string;
  };

const shownOf = (user: UserDocument): Shown => ({
  ...user,
  id: user._id,
  userName: userNameOf(user),
  displayName: user.provisioned?.displayName,
  externalId: user.provisioned?.externalId,
  status: isActive(user) ? 'active' : 'inactive',
});

function resourceOf(context: GraphContext, user: Shown): Record<string, unknown> {
  const { id, firstName, lastName, displayName, externalId } = user;
  return {
    schemas: [schemaIds.user],
    id,
    ...(externalId && { externalId }),
    userName: user.userName,
    name: { formatted: `${firstName} ${lastName}`.trim(), givenName: firstName, familyName: lastName },
    ...(displayName && { displayName }),
    emails: [{ value: user.email, type: 'work', primary: true }],
    active: user.status === 'active',
    meta: {
      resourceType: 'User',
      created: user.createdAt,
      lastModified: user.lastUpdatedAt,
      location: locationOf(context, `Users/${id}`),
    },
  };
}

const bodyOf = ({ context, query }: ScimExchange, user: Shown) =>
  projected(resourceOf(context, user), projectionOf(query));

async function change(exchange: ScimExchange, input: object) {
  const variables = { id: idOf(exchange), input };
  const user = await exchange.run<Shown>('updateUser', variables, exchange.context);
  return { status: 200, body: bodyOf(exchange, user) };
}

/** `/Users` */
export const userList: ScimEndpoint = {
  async GET(exchange) {
    const found = await findScimUsers(exchange.context, listQueryOf(exchange.query));
    const resources = found.resources.map((user) => bodyOf(exchange, shownOf(user)));
    return { status: 200, body: listResponse(found, resources) };
  },
  async POST(exchange) {
    const input = readNewUser(await exchange.readBody());
    const user = await exchange.run<Shown>('createUser', { input }, exchange.context);
    const location = locationOf(exchange.context, `Users/${user.id}`);
    return { status: 201, location, body: bodyOf(exchange, user) };
  },
};

/** `/Users/{id}` */
export const oneUser: ScimEndpoint = {
  async GET(exchange) {
    const user = await exchange.run<Shown>('getUser', { id: idOf(exchange) }, exchange.context);
    return { status: 200, body: bodyOf(exchange, user) };
  },
  PUT: async (exchange) => change(exchange, readUser(await exchange.readBody())),
  PATCH: async (exchange) => change(exchange, patchUser(await exchange.readBody(), idOf(exchange))),
  async DELETE(exchange) {
    await exchange.run('deleteUser', { id: idOf(exchange) }, exchange.context);
    return { status: 204 };
  },
};
