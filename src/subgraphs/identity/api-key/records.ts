import type { Connection } from 'mongoose';
import {
  initialStates,
  keyRights,
  type Principal,
  type SwitchStates,
  switchStates,
} from '../../../auth/index.ts';
import type { KeyRecord } from '../../../directory/memory.ts';
import { limitsOf } from '../../limits/to-limit.ts';
import { rolesInWorkspaces } from '../member/index.ts';
import { organisationSettings } from '../organisation/index.ts';
import { inactiveAmong } from '../user/index.ts';
import { logModeOf, type WorkspaceDocument, workspaceModel } from '../workspace/index.ts';
import { type ApiKeyDocument, apiKeyModel, limitOwner } from './model.ts';

type Owner = Pick<WorkspaceDocument, '_id' | 'defaults' | 'settings'>;
type FromOwner = Pick<KeyRecord, 'logMode' | 'savedConfigsOnly'> &
  Pick<Principal, 'metadata'> & { switches: SwitchStates };
/** The built-in role that counts for the user of a key; null for keys that stand for nobody. */
type RoleOf = (key: ApiKeyDocument) => string | null;

/**
 * Keys by the hash of their secret, as the data plane needs them; one in transition is found by either secret. A key that
 * stands for a deactivated user is left out: one that was made while its user was deactivated is not deleted with the others.
 */
export async function loadKeyRecords(
  db: Connection,
  secretHashes: string[],
): Promise<Map<string, KeyRecord>> {
  const among = { $in: secretHashes };
  const found = await apiKeyModel(db)
    .find({ $or: [{ secretHash: among }, { 'previousSecret.hash': among }] })
    .lean<ApiKeyDocument[]>();
  const userIds = found.flatMap(({ userId }) => userId ?? []);
  const inactive = await inactiveAmong(db, userIds);
  const keys = found.filter(({ userId }) => userId === null || !inactive.has(userId));
  const workspaceIds = [...new Set(keys.flatMap((key) => key.workspaceId ?? []))];
  const workspaces = await workspaceModel(db)
    .find({ _id: { $in: workspaceIds } }, { defaults: 1, settings: 1 })
    .lean<Owner[]>();
  const owners = new Map(workspaces.map((workspace) => [workspace._id, workspace]));
  const common = await organisationSettings(
    db,
    keys.map(({ organisationId }) => organisationId),
  );
  const fromOwner = (key: ApiKeyDocument): FromOwner => {
    const owner = owners.get(key.workspaceId ?? '');
    const ofOrganisation = common.get(key.organisationId);
    return {
      metadata: owner?.defaults?.metadata ?? {},
      logMode: logModeOf(ofOrganisation, owner?.settings),
      savedConfigsOnly: ofOrganisation?.savedConfigsOnly ?? false,
      switches: switchStates(ofOrganisation, owner?.settings?.switches),
    };
  };
  const given = keys.map((key) => ({ key, owner: fromOwner(key) }));
  const roleOf = await rolesOfUsers(db, given);
  return new Map(given.flatMap(({ key, owner }) => recordsOf(key, owner, roleOf)));
}

/** Where nobody has set a switch, no role changes what a key may do, and none is looked up. */
async function rolesOfUsers(
  db: Connection,
  given: readonly { key: ApiKeyDocument; owner: FromOwner }[],
): Promise<RoleOf> {
  const places = given.flatMap(({ key: { type, organisationId, workspaceId, userId }, owner }) =>
    type === 'workspace-user' && workspaceId && userId && owner.switches !== initialStates
      ? [{ organisationId, workspaceId, userId }]
      : [],
  );
  if (places.length === 0) return () => null;
  const roleIn = await rolesInWorkspaces(db, places);
  return ({ type, workspaceId, userId }) =>
    type === 'workspace-user' && workspaceId && userId ? roleIn({ workspaceId, userId }) : null;
}

function recordsOf(key: ApiKeyDocument, owner: FromOwner, roleOf: RoleOf): [string, KeyRecord][] {
  const record = toRecord(key, owner, roleOf(key));
  const { previousSecret: previous } = key;
  if (!previous) return [[key.secretHash, record]];
  // Each secret's record ends by itself, so that nothing need be written when the transition is over.
  const end = Math.min(previous.expiresAt.getTime(), record.expiresAt ?? Infinity);
  return [
    [key.secretHash, record],
    [previous.hash, { ...record, expiresAt: end }],
  ];
}

function toRecord(key: ApiKeyDocument, owner: FromOwner, role: string | null): KeyRecord {
  const { organisationId, workspaceId, userId, name } = key;
  return {
    principal: {
      kind: key.type,
      id: key._id,
      name,
      organisationId,
      workspaceId,
      userId,
      ...(role === null ? { scopes: new Set(key.scopes) } : keyRights(key.scopes, role, owner.switches)),
      metadata: { ...key.defaults?.metadata, ...owner.metadata },
    },
    expiresAt: key.expiresAt?.getTime() ?? null,
    defaultConfig: key.defaults?.config_id ?? null,
    allowConfigOverride: key.defaults?.allow_config_override ?? true,
    logMode: owner.logMode,
    savedConfigsOnly: owner.savedConfigsOnly,
    limits: limitsOf(limitOwner(key), key),
  };
}
