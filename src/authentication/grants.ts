import { mayHold, type Permission, type Principal, rightsOf, type SwitchStates } from '../auth/index.ts';
import type { Grant, WorkspaceRecord } from '../directory/memory.ts';

/** Somebody whose roles are looked up with each request: a service account or a user. `switches`: of the organisation. */
type Holder = { grants: readonly Grant[]; switches: SwitchStates };

/** The part of a principal that follows from its roles. */
type Held = Pick<Principal, 'scopes' | 'ownOnly' | 'withheld'>;

/** The roles that count in a workspace, or for the whole tenant. */
export const grantsOn = ({ grants }: Holder, workspaceId: string | null): Grant[] =>
  grants.filter((grant) => grant.workspaceId === null || grant.workspaceId === workspaceId);

// A holder, like a workspace, is replaced by a new object when anything about it changes.
const known = new WeakMap<Holder, WeakMap<WorkspaceRecord | Holder, Held>>();

/** What a holder may do in a workspace, or in the whole tenant. */
export function rightsIn(holder: Holder, workspace: WorkspaceRecord | null): Held {
  const ofHolder = known.get(holder) ?? new WeakMap<WorkspaceRecord | Holder, Held>();
  known.set(holder, ofHolder);
  const place = workspace ?? holder;
  const found = ofHolder.get(place);
  if (found) return found;
  const grants = grantsOn(holder, workspace?.id ?? null).map(({ role, ...grant }) => ({
    role,
    permissions: allowed(grant),
  }));
  const rights = rightsOf(grants, place.switches);
  ofHolder.set(place, rights);
  return rights;
}

/** A role on a workspace allows no more than a key of the workspace could be given, whatever else the role holds. */
const allowed = ({ workspaceId, permissions }: Omit<Grant, 'role'>): readonly Permission[] =>
  workspaceId === null
    ? permissions
    : permissions.filter((permission) => mayHold('workspace-service', permission));
