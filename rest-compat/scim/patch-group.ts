import type { UpdateScimGroupInput } from '../../src/subgraphs/types.generated.ts';
import { ScimFault } from './fault.ts';
import { attributePath, membersOf, textOf, textOrNull } from './members.ts';
import { type PatchOperation, readPatch, targetsOf } from './patch.ts';
import { requireSameId } from './patch-user.ts';

type Changes = Pick<UpdateScimGroupInput, 'displayName' | 'externalId'> & {
  /** Everybody who is to be in the group, once an operation has said so. */
  whole: Set<string> | null;
  /** Who is to join or leave, as long as none has. */
  joins: Map<string, boolean>;
};

/** What a PATCH changes of the group `id`; a later operation outweighs an earlier one. */
export function patchGroup(body: unknown, id: string): UpdateScimGroupInput {
  const changes: Changes = { whole: null, joins: new Map() };
  for (const operation of readPatch(body)) {
    for (const [path, value] of targetsOf(operation)) {
      const attribute = attributePath(path);
      if (attribute === 'id') requireSameId(value, id);
      else if (attribute === 'displayname') changes.displayName = newName(operation, value);
      else if (attribute === 'externalid')
        changes.externalId = operation.op === 'remove' ? null : textOrNull(value, 'externalId');
      else if (attribute.startsWith('members')) changeMembers(changes, { ...operation, path, value });
      else if (attribute !== 'schemas' && attribute !== 'meta' && !attribute.startsWith('urn:'))
        throw new ScimFault('invalidPath', `${path} is no attribute of a group.`);
    }
  }
  const { whole, joins, ...plain } = changes;
  if (whole) return { ...plain, memberIds: [...whole] };
  const joining = (wanted: boolean) =>
    [...joins].flatMap(([id, isJoining]) => (isJoining === wanted ? id : []));
  return { ...plain, addMemberIds: joining(true), removeMemberIds: joining(false) };
}

function newName({ op }: PatchOperation, value: unknown): string {
  if (op === 'remove') throw new ScimFault('mutability', 'displayName cannot be removed: a group has one.');
  return textOf(value, 'displayName');
}

/** A whole list replaces, one member of it is added or taken out: `members[value eq "…"]`, or by value as Entra ID does. */
function changeMembers(changes: Changes, operation: PatchOperation): void {
  const { op, path, value } = operation;
  const named = /^[^[]*\[\s*value\s+eq\s+"([^"\\]*)"\s*\]$/i.exec(path ?? '')?.[1];
  if (named === undefined && attributePath(path ?? '') !== 'members') {
    throw new ScimFault('invalidPath', 'A path of members is members or members[value eq "<id>"].');
  }
  if (named !== undefined && op !== 'remove') {
    throw new ScimFault('invalidPath', 'A member is added by the path members; members[…] can be removed.');
  }
  const isAll = named === undefined && (op === 'replace' || (op === 'remove' && value == null));
  if (isAll) changes.whole = new Set(op === 'replace' ? memberIds(value) : []);
  else for (const id of named === undefined ? memberIds(value) : [named]) move(changes, id, op === 'add');
}

function move({ whole, joins }: Changes, id: string, isJoining: boolean): void {
  if (!whole) joins.set(id, isJoining);
  else if (isJoining) whole.add(id);
  else whole.delete(id);
}

/** The ids in a list of members, or in a single one. */
export function memberIds(value: unknown): string[] {
  if (value == null) return [];
  return (Array.isArray(value) ? value : [value]).map((member) =>
    typeof member === 'string' ? member : textOf(membersOf(member, 'members').get('value'), 'members.value'),
  );
}
