import type { Permission } from '../roles.ts';
import type { SwitchStates } from './states.ts';
import { switches, switchNames } from './table.ts';

/** What a principal may see only as far as it belongs to its own user. */
export type OwnData = 'requests' | 'api keys';

/** What somebody may do, and how far. */
export type Rights = {
  scopes: ReadonlySet<Permission>;
  ownOnly: ReadonlySet<OwnData>;
  /** What the roles would allow, or allow without `ownOnly`, if no switch took it away. */
  withheld: ReadonlySet<Permission>;
};

/** A built-in role or one of the tenant's own, and what it allows. */
export type RoleGrant = { role: string; permissions: readonly Permission[] };

/** The scopes by which others' data is seen. */
const showing: Readonly<Record<OwnData, (scope: Permission) => boolean>> = {
  requests: (scope) => /^(logs\.(list|view|read|export)|analytics\.view|feedbacks\.read)$/.test(scope),
  'api keys': (scope) => /^workspace_(user|service)_api_keys\./.test(scope),
};
const kinds = Object.keys(showing) as OwnData[];

/** What several roles allow together under these states of the switches. */
export function rightsOf(grants: readonly RoleGrant[], states: SwitchStates): Rights {
  const each = grants.map((grant) => rightsOfRole(grant, states));
  const held = new Set(each.flatMap(({ permissions }) => permissions));
  // A role that is not narrowed shows all.
  const ownOnly = new Set(
    kinds.filter((kind) => {
      const seeing = each.filter(({ permissions }) => permissions.some(showing[kind]));
      return seeing.length > 0 && seeing.every((one) => one.ownOnly.has(kind));
    }),
  );
  const taken = each.flatMap((one) => one.taken).filter((permission) => !held.has(permission));
  return { scopes: held, ownOnly, withheld: new Set([...taken, ...narrowed(held, ownOnly)]) };
}

/** What a key that stands for a user may do: no more than the switches leave to the user's role. */
export function keyRights(keyScopes: readonly Permission[], role: string, states: SwitchStates): Rights {
  const { taken, hidesOthersRequests } = effectOf(role, states);
  const held = new Set(keyScopes.filter((scope) => !taken.has(scope)));
  const ownOnly = new Set<OwnData>(hidesOthersRequests ? ['requests'] : []);
  const lost = keyScopes.filter((scope) => taken.has(scope));
  return { scopes: held, ownOnly, withheld: new Set([...lost, ...narrowed(held, ownOnly)]) };
}

/** Scopes that reach less far than others who hold them would think. */
const narrowed = (held: ReadonlySet<Permission>, ownOnly: ReadonlySet<OwnData>): Permission[] =>
  ownOnly.has('requests') ? [...held].filter(showing.requests) : [];

function rightsOfRole({ role, permissions }: RoleGrant, states: SwitchStates) {
  const { taken, given, hidesOthersRequests } = effectOf(role, states);
  const ownOnly = new Set<OwnData>([
    ...(hidesOthersRequests ? (['requests'] as const) : []),
    ...(role === 'workspace_member' ? (['api keys'] as const) : []),
  ]);
  return {
    permissions: [...permissions, ...given].filter((permission) => !taken.has(permission)),
    taken: permissions.filter((permission) => taken.has(permission)),
    ownOnly,
  };
}

type Effect = { taken: ReadonlySet<Permission>; given: readonly Permission[]; hidesOthersRequests: boolean };

/** What the switches do to a role. */
function effectOf(role: string, states: SwitchStates): Effect {
  const rows = switchNames.filter((name) => switches[name].role === role);
  const off = rows.filter((name) => !states[name]).map((name) => switches[name]);
  const on = rows.filter((name) => states[name]).map((name) => switches[name]);
  return {
    taken: new Set(off.flatMap(({ takes }) => takes ?? [])),
    given: on.flatMap(({ gives }) => gives ?? []),
    hidesOthersRequests: off.some((row) => row.hidesOthersRequests),
  };
}
