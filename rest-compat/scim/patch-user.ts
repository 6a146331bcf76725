import { ScimFault } from './fault.ts';
import { attributePath } from './members.ts';
import { readPatch, targetsOf } from './patch.ts';
import { emailPath, isIgnored, noAttribute, setAttribute, type UserChanges } from './user-attributes.ts';

/** What a PATCH changes of the user `id`; a later operation outweighs an earlier one. */
export function patchUser(body: unknown, id: string): UserChanges {
  const changes: UserChanges = {};
  for (const operation of readPatch(body)) {
    for (const [path, value] of targetsOf(operation)) {
      if (attributePath(path) === 'id') requireSameId(value, id);
      else if (operation.op === 'remove') removeAttribute(changes, path);
      else setAttribute(changes, path, value);
    }
  }
  return changes;
}

/** Okta repeats the id in the value. */
export function requireSameId(value: unknown, id: string): void {
  if (value !== id) throw new ScimFault('mutability', 'id cannot change.');
}

const removable = new Set(['displayname', 'externalid', 'name.givenname', 'name.familyname']);

function removeAttribute(changes: UserChanges, name: string): void {
  const path = attributePath(name);
  if (removable.has(path)) {
    setAttribute(changes, path, null);
    return;
  }
  const ofEmail = emailPath(path);
  if (ofEmail === 'other' || isIgnored(path)) return;
  if (ofEmail === null && !['username', 'active', 'name'].includes(path)) throw noAttribute(name);
  throw new ScimFault('mutability', `${name} cannot be removed: a user has one.`);
}
