import { ScimFault } from './fault.ts';
import { membersOf } from './members.ts';

/** One operation of a PATCH, as RFC 7644, section 3.5.2, has it. */
export type PatchOperation = { op: 'add' | 'remove' | 'replace'; path: string | null; value: unknown };

const MAX_OPERATIONS = 1000;

/** Entra ID begins the names of operations with a capital. */
const isKnown = (op: string): op is PatchOperation['op'] => ['add', 'remove', 'replace'].includes(op);

export function readPatch(body: unknown): PatchOperation[] {
  const operations = membersOf(body, 'The body').get('operations');
  if (!Array.isArray(operations) || operations.length === 0) {
    throw new ScimFault('invalidSyntax', 'Operations must be a list of at least one operation.');
  }
  if (operations.length > MAX_OPERATIONS) {
    throw new ScimFault('tooMany', `A PATCH has at most ${MAX_OPERATIONS} operations.`);
  }
  return operations.map((operation) => {
    const members = membersOf(operation, 'An operation');
    const op = String(members.get('op')).toLowerCase();
    if (!isKnown(op)) throw new ScimFault('invalidSyntax', 'op must be add, remove or replace.');
    const path = members.get('path') ?? null;
    if (path !== null && typeof path !== 'string')
      throw new ScimFault('invalidPath', 'path must be a string.');
    if (op === 'remove' && !path) throw new ScimFault('invalidPath', 'remove needs a path.');
    if (op !== 'remove' && !members.has('value')) {
      throw new ScimFault('invalidValue', `${op} needs a value.`);
    }
    return { op, path: path === '' ? null : path, value: members.get('value') };
  });
}

/** What the operation is about: its path, or each member of its value where it has none (Okta, and Entra ID at times). */
export const targetsOf = ({ path, value }: PatchOperation): Iterable<[path: string, value: unknown]> =>
  path === null ? membersOf(value, 'The value of an operation without a path') : [[path, value]];
