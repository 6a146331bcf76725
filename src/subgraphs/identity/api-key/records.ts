import type { Connection } from 'mongoose';
import type { Principal } from '../../../auth/index.ts';
import type { KeyRecord } from '../../../directory/memory.ts';
import { organisationSettings } from '../organisation/index.ts';
import { logModeOf, type WorkspaceDocument, workspaceModel } from '../workspace/index.ts';
import { type ApiKeyDocument, apiKeyModel } from './model.ts';

type Owner = Pick<WorkspaceDocument, '_id' | 'defaults' | 'settings'>;
type FromOwner = Pick<KeyRecord, 'logMode' | 'savedConfigsOnly'> & Pick<Principal, 'metadata'>;

/** Keys by the hash of their secret, as the data plane needs them; one in transition is found by either secret. */
export async function loadKeyRecords(
  db: Connection,
  secretHashes: string[],
): Promise<Map<string, KeyRecord>> {
  const among = { $in: secretHashes };
  const keys = await apiKeyModel(db)
    .find({ $or: [{ secretHash: among }, { 'previousSecret.hash': among }] })
    .lean<ApiKeyDocument[]>();
  const workspaceIds = [...new Set(keys.flatMap((key) => key.workspaceId ?? []))];
  const workspaces = await workspaceModel(db)
    .find({ _id: { $in: workspaceIds } }, { defaults: 1, settings: 1 })
    .lean<Owner[]>();
  const owners = new Map(workspaces.map((workspace) => [workspace._id, workspace]));
  const common = await organisationSettings(
    db,
    keys.map(({ organisationId }) => organisationId),
  );
  return new Map(
    keys.flatMap((key) => {
      const owner = owners.get(key.workspaceId ?? '');
      const ofOrganisation = common.get(key.organisationId);
      return recordsOf(key, {
        metadata: owner?.defaults?.metadata ?? {},
        logMode: logModeOf(ofOrganisation, owner?.settings),
        savedConfigsOnly: ofOrganisation?.savedConfigsOnly ?? false,
      });
    }),
  );
}

function recordsOf(key: ApiKeyDocument, owner: FromOwner): [string, KeyRecord][] {
  const record = toRecord(key, owner);
  const { previousSecret: previous } = key;
  if (!previous) return [[key.secretHash, record]];
  // Each secret's record ends by itself, so that nothing need be written when the transition is over.
  const end = Math.min(previous.expiresAt.getTime(), record.expiresAt ?? Infinity);
  return [
    [key.secretHash, record],
    [previous.hash, { ...record, expiresAt: end }],
  ];
}

function toRecord(key: ApiKeyDocument, owner: FromOwner): KeyRecord {
  const { organisationId, workspaceId, userId, name } = key;
  return {
    principal: {
      kind: key.type,
      id: key._id,
      name,
      organisationId,
      workspaceId,
      userId,
      scopes: new Set(key.scopes),
      metadata: { ...key.defaults?.metadata, ...owner.metadata },
    },
    expiresAt: key.expiresAt?.getTime() ?? null,
    defaultConfig: key.defaults?.config_id ?? null,
    allowConfigOverride: key.defaults?.allow_config_override ?? true,
    logMode: owner.logMode,
    savedConfigsOnly: owner.savedConfigsOnly,
  };
}
