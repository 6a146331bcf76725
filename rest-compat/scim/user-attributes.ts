import type { UpdateScimUserInput } from '../../src/subgraphs/types.generated.ts';
import { invalidValue, ScimFault } from './fault.ts';
import { attributePath, booleanOf, membersOf, textOf, textOrNull } from './members.ts';

/** What a request says of a user; absent members are not spoken of. */
export type UserChanges = UpdateScimUserInput;

/** Attributes of the standard that are not kept: identity providers send them unasked. */
const notKept = new Set(
  `addresses entitlements groups ims locale meta name.formatted name.honorificprefix name.honorificsuffix name.middlename
  nickname password phonenumbers photos preferredlanguage profileurl roles schemas timezone title usertype
  x509certificates`.split(/\s+/),
);

type Setter = (changes: UserChanges, value: unknown) => void;

const setters: Readonly<Record<string, Setter>> = {
  username: (changes, value) => {
    changes.userName = textOf(value, 'userName');
  },
  active: (changes, value) => {
    changes.status = booleanOf(value, 'active') ? 'active' : 'inactive';
  },
  displayname: (changes, value) => {
    changes.displayName = textOrNull(value, 'displayName');
  },
  externalid: (changes, value) => {
    changes.externalId = textOrNull(value, 'externalId');
  },
  'name.givenname': (changes, value) => {
    changes.firstName = textOrNull(value, 'name.givenName') ?? '';
  },
  'name.familyname': (changes, value) => {
    changes.lastName = textOrNull(value, 'name.familyName') ?? '';
  },
  name: (changes, value) => {
    if (value === null) return;
    for (const [name, member] of membersOf(value, 'name')) setAttribute(changes, `name.${name}`, member);
  },
  emails: (changes, value) => {
    const address = addressIn(value);
    if (address !== null) changes.email = address;
  },
};

/** Takes one attribute over, wherever it stood; throws for an attribute that SCIM does not have. */
export function setAttribute(changes: UserChanges, name: string, value: unknown): void {
  const path = attributePath(name);
  const ofEmail = emailPath(path);
  if (ofEmail === 'value') setters.emails?.(changes, [{ value }]);
  else if (ofEmail === 'all') setters.emails?.(changes, value);
  else if (ofEmail === null && Object.hasOwn(setters, path)) setters[path]?.(changes, value);
  else if (ofEmail === null && !isIgnored(path)) throw noAttribute(name);
}

export const noAttribute = (name: string): ScimFault =>
  new ScimFault('invalidPath', `${name} is no attribute of a user.`);

/** True for what is sent and not kept: attributes of the standard with all that is in them, and those of extensions. */
export function isIgnored(path: string): boolean {
  const [attribute = ''] = path.split(/[.[]/, 1);
  return notKept.has(path) || notKept.has(attribute) || path.startsWith('urn:');
}

/**
 * What a path below `emails` means: the address that is kept, all of the list, something that is not kept; null for a
 * path that leads elsewhere. The address of type `work`, which is the primary one, is kept.
 */
export function emailPath(path: string): 'value' | 'all' | 'other' | null {
  const found = /^emails(?:\[(?<filter>[^\]]*)\])?(?:\.(?<member>\w+))?$/.exec(path);
  if (!found) return null;
  const { filter, member } = found.groups ?? {};
  if (filter !== undefined && !/^\s*(type\s+eq\s+"work"|primary\s+eq\s+"?true"?)\s*$/.test(filter))
    return 'other';
  if (member === undefined) return 'all';
  return member === 'value' ? 'value' : 'other';
}

/** The primary address of a list, else the one of type `work`, else the first; null for an empty list. */
function addressIn(value: unknown): string | null {
  const list = (Array.isArray(value) ? value : [value]).map((entry) =>
    typeof entry === 'string' ? new Map<string, unknown>([['value', entry]]) : membersOf(entry, 'emails'),
  );
  const isPrimary = (entry: ReadonlyMap<string, unknown>) =>
    entry.has('primary') && booleanOf(entry.get('primary'), 'emails.primary');
  const isWork = (entry: ReadonlyMap<string, unknown>) => String(entry.get('type')).toLowerCase() === 'work';
  const chosen = list.find(isPrimary) ?? list.find(isWork) ?? list[0];
  if (!chosen) return null;
  const address = textOf(chosen.get('value'), 'emails.value');
  if (address === '') throw invalidValue('emails.value must be an address.');
  return address;
}
