import type { Connection } from 'mongoose';
import { createDirectory } from '../directory/memory.ts';
import type { Logger } from '../lib/logger.ts';
import type { SecretMemory } from '../secret-managers/memory.ts';
import type { Changes } from '../storage/changes.ts';
import type { Secrets } from '../storage/secrets.ts';
import { loadCatalogues, loadProviderRecords } from '../subgraphs/catalog/provider/records.ts';
import { loadAccountRecords } from '../subgraphs/identity/access-policy/index.ts';
import { loadKeyRecords } from '../subgraphs/identity/api-key/records.ts';
import { loadUserRecords } from '../subgraphs/identity/member/index.ts';
import { loadSignInRecords } from '../subgraphs/identity/sign-in/index.ts';
import { loadWorkspaceRecords } from '../subgraphs/identity/workspace/records.ts';
import { loadConfigRecords } from '../subgraphs/routing/config/records.ts';
import { createGuardrailCompiler } from '../subgraphs/routing/guardrail/compiled.ts';
import { createEnforcedLoader } from '../subgraphs/routing/guardrail/enforced.ts';
import { loadGuardrailRecords } from '../subgraphs/routing/guardrail/records.ts';
import { createWorkspaceLimitsLoader } from '../subgraphs/routing/workspace-limits/records.ts';

type Given = {
  db: Connection;
  secrets: Secrets;
  secretMemory: () => SecretMemory;
  changes: Changes;
  log: Logger;
};

/** What the data plane knows of the tenants without asking the database, read by the subgraphs that own it. */
export function createTenantDirectory({ db, secrets, secretMemory, changes, log }: Given) {
  const guardrailCompiler = createGuardrailCompiler({ secrets, secretMemory, log });
  return createDirectory(
    {
      keys: (hashes) => loadKeyRecords(db, hashes),
      providers: (ids) => loadProviderRecords(db, secrets, ids),
      configs: (ids) => loadConfigRecords(db, { secrets, log }, ids),
      catalogues: (ids) => loadCatalogues(db, ids),
      accounts: (ids) => loadAccountRecords(db, ids),
      workspaces: (ids) => loadWorkspaceRecords(db, ids),
      users: (ids) => loadUserRecords(db, ids),
      signIns: (hashes) => loadSignInRecords(db, hashes),
      limits: createWorkspaceLimitsLoader(db),
      guardrails: (ids) => loadGuardrailRecords(db, guardrailCompiler, ids),
      enforcedGuardrails: createEnforcedLoader(db, guardrailCompiler),
    },
    changes,
  );
}
