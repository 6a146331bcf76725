import type { Connection } from 'mongoose';
import type { KeyRecord } from '../../../dataplane/directory.ts';
import { savedConfigsOnlyIn } from '../organisation/index.ts';
import { workspaceModel } from '../workspace/index.ts';
import { type ApiKeyDocument, apiKeyModel } from './model.ts';

type WorkspaceDefaults = { _id: string; defaults: { metadata?: Record<string, string> } | null };

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
    .find({ _id: { $in: workspaceIds } }, { defaults: 1 })
    .lean<WorkspaceDefaults[]>();
  const strict = await savedConfigsOnlyIn(
    db,
    keys.map(({ organisationId }) => organisationId),
  );
  const metadata = new Map(workspaces.map(({ _id, defaults }) => [_id, defaults?.metadata ?? {}]));
  return new Map(
    keys.flatMap((key) =>
      recordsOf(key, {
        metadata: metadata.get(key.workspaceId ?? '') ?? {},
        savedConfigsOnly: strict.has(key.organisationId),
      }),
    ),
  );
}

/** What a key's record takes from its workspace and organisation. */
type Surroundings = Pick<KeyRecord, 'metadata' | 'savedConfigsOnly'>;

function recordsOf(key: ApiKeyDocument, around: Surroundings): [string, KeyRecord][] {
  const record = toRecord(key, around);
  const { previousSecret: previous } = key;
  if (!previous) return [[key.secretHash, record]];
  // Each secret's record ends by itself, so that nothing need be written when the transition is over.
  const end = Math.min(previous.expiresAt.getTime(), record.expiresAt ?? Infinity);
  return [
    [key.secretHash, record],
    [previous.hash, { ...record, expiresAt: end }],
  ];
}

function toRecord(key: ApiKeyDocument, around: Surroundings): KeyRecord {
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
    },
    expiresAt: key.expiresAt?.getTime() ?? null,
    defaultConfig: key.defaults?.config_id ?? null,
    allowConfigOverride: key.defaults?.allow_config_override ?? true,
    metadata: { ...key.defaults?.metadata, ...around.metadata },
    savedConfigsOnly: around.savedConfigsOnly,
  };
}
