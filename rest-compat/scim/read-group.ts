import type { CreateScimGroupInput, UpdateScimGroupInput } from '../../src/subgraphs/types.generated.ts';
import { invalidValue } from './fault.ts';
import { membersOf, textOf, textOrNull } from './members.ts';
import { memberIds } from './patch-group.ts';

/** A group as a client sends it whole, by PUT. What it leaves out stays as it is; members that it lists are all that there are. */
export function readGroup(body: unknown): UpdateScimGroupInput & { displayName: string } {
  const members = membersOf(body, 'The body');
  const displayName = members.get('displayname');
  if (displayName === undefined) throw invalidValue('displayName is required.');
  return {
    displayName: textOf(displayName, 'displayName'),
    ...(members.has('externalid') && { externalId: textOrNull(members.get('externalid'), 'externalId') }),
    ...(members.has('members') && { memberIds: [...new Set(memberIds(members.get('members')))] }),
  };
}

/** The same for a new group, by POST. */
export function readNewGroup(body: unknown): CreateScimGroupInput {
  const { displayName, externalId, memberIds } = readGroup(body);
  return { displayName, externalId, memberIds };
}
