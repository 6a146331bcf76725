import type { CreateScimUserInput } from '../../src/subgraphs/types.generated.ts';
import { invalidValue } from './fault.ts';
import { membersOf, type ScimMembers } from './members.ts';
import { setAttribute, type UserChanges } from './user-attributes.ts';

/** A user as a client sends it whole, by POST or PUT. An attribute that it leaves out stays as it is. */
export function readUser(body: unknown): UserChanges & { userName: string } {
  const changes: UserChanges = {};
  for (const [name, value] of membersOf(body, 'The body')) {
    if (name === 'id') continue;
    setAttribute(changes, name, value);
  }
  const { userName } = changes;
  if (!userName) throw invalidValue('userName is required.');
  return { ...changes, userName };
}

/** The same for a new user, who needs an address and a name. */
export function readNewUser(body: unknown): CreateScimUserInput {
  const { userName, email, firstName, lastName, displayName, externalId, status } = readUser(body);
  const address = email ?? (userName.includes('@') ? userName : null);
  if (address === null) throw invalidValue('emails is required where userName is no e-mail address.');
  const given =
    firstName || lastName ? { firstName, lastName } : { firstName: displayName ?? formattedName(body) };
  return {
    userName,
    email: address,
    firstName: given.firstName ?? '',
    lastName: lastName ?? '',
    displayName,
    externalId,
    status: status ?? 'active',
  };
}

function formattedName(body: unknown): string | null {
  const name = membersOf(body, 'The body').get('name');
  const members: ScimMembers = name ? membersOf(name, 'name') : new Map();
  const formatted = members.get('formatted');
  return typeof formatted === 'string' ? formatted : null;
}
