import type { Connection, QueryFilter } from 'mongoose';
import { type ConfigRecord, WORKSPACE_DEFAULT } from '../../../directory/memory.ts';
import type { Logger } from '../../../lib/logger.ts';
import { planOf } from '../../../routing-config/plan.ts';
import { parseGatewayConfig } from '../../../routing-config/schema.ts';
import type { Secrets } from '../../../storage/secrets.ts';
import { type ConfigDocument, configModel } from './model.ts';
import { unsealConfig } from './sealing.ts';

/** Configs by `<workspaceId>/<id or slug>`, or as the default one of a workspace, ready to run; archived ones are left out. */
export async function loadConfigRecords(
  db: Connection,
  { secrets, log }: { secrets: Secrets; log: Logger },
  ids: string[],
): Promise<Map<string, ConfigRecord>> {
  const configs = await configModel(db)
    .find({ status: 'active', $or: ids.flatMap(namesOf) })
    .lean<ConfigDocument[]>();
  const wanted = new Set(ids);
  const found = new Map<string, ConfigRecord>();
  for (const config of configs) {
    const record = toRecord(config, secrets, log);
    const names = [config._id, config.slug, ...(config.isDefault ? [WORKSPACE_DEFAULT] : [])];
    for (const name of names) {
      const id = `${config.workspaceId}/${name}`;
      if (record && wanted.has(id)) found.set(id, record);
    }
  }
  return found;
}

function namesOf(id: string): QueryFilter<ConfigDocument>[] {
  const slash = id.indexOf('/');
  const [workspaceId, name] = [id.slice(0, slash), id.slice(slash + 1)];
  if (name === WORKSPACE_DEFAULT) return [{ workspaceId, isDefault: 1 }];
  return [
    { _id: name, workspaceId },
    { slug: name, workspaceId },
  ];
}

function toRecord(document: ConfigDocument, secrets: Secrets, log: Logger): ConfigRecord | null {
  const { _id, slug, versionId, config } = document;
  try {
    return { id: _id, slug, versionId, plan: planOf(parseGatewayConfig(unsealConfig(config, secrets, _id))) };
  } catch (error) {
    // It was valid when it was saved. One broken config must not keep the others from being read.
    log.error({ error, configId: _id }, 'A stored config can no longer be read and is not served.');
    return null;
  }
}
