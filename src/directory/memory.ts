import type { Permission, Principal, SwitchStates } from '../auth/index.ts';
import {
  type CompiledGuardrail,
  type EnforcedGuardrails,
  type GuardrailLookup,
  NOTHING_ENFORCED,
} from '../guardrails/index.ts';
import type { Limit } from '../limits/limit.ts';
import type { ProviderCredential } from '../providers/index.ts';
import type { OwnPricing } from '../recording/pricing/index.ts';
import type { Plan } from '../routing-config/plan.ts';
import type { SecretSource, ValueFormat } from '../secret-managers/index.ts';
import type { ChangeKind, Changes } from '../storage/changes.ts';
import { createTable, type Table } from './table.ts';
import { withUnchanged } from './unchanged-limits.ts';

/** An API key, under one of its secrets, as the data plane needs it. */
export type KeyRecord = {
  principal: Principal;
  /** When the secret stops working, in milliseconds since the epoch; null for never. */
  expiresAt: number | null;
  defaultConfig: string | null;
  allowConfigOverride: boolean;
  /** True when the organisation of the key refuses configs, providers and hosts that are not saved. */
  savedConfigsOnly: boolean;
  logMode: LogMode | null;
  /** Of the key itself. */
  limits: readonly Limit[];
};

/** How much of a request is logged; where nobody has set it, the installation and each request decide. */
export type LogMode = 'full' | 'metrics';

/** A catalogue provider with its integration's credential in the clear: in memory only. */
export type ProviderRecord = {
  id: string;
  slug: string;
  integrationId: string;
  /** Kind of provider, e.g. `openai`. */
  aiProviderId: string;
  /** What is stored of it; `mappedSecrets` go before. */
  credential: ProviderCredential;
  mappedSecrets: readonly MappedSecret[];
  customHost: string | null;
  customHeaders: Record<string, string>;
  allowAllModels: boolean;
  /** True when requests may not ask for some model. */
  restrictsModels: boolean;
  models: ReadonlyMap<string, ModelRecord>;
  /** Whether models that are not in `models` may be asked for. */
  pricing: OwnPricing;
  expiresAt: number | null;
  /** Of the provider, and of its integration in the provider's workspace. */
  limits: readonly Limit[];
};

/** A part of a credential whose value comes from a secret manager. */
export type MappedSecret = {
  /** The setting that it fills; null for the key. */
  setting: string | null;
  /** Null when the reference is gone, or not for this workspace. */
  source: SecretSource | null;
  /** The member of the secret; null for the whole. */
  key: string | null;
  format: ValueFormat | null;
};

export const isExpired = ({ expiresAt }: Pick<ProviderRecord, 'expiresAt'>): boolean =>
  expiresAt !== null && expiresAt <= Date.now();

/** `customHeaders` and `pricing` include those of its integration. */
export type ModelRecord = {
  enabled: boolean;
  customHost: string | null;
  customHeaders: Record<string, string>;
  pricing: OwnPricing;
};

/** Stands in place of a config's slug for the default config of the workspace; no slug has this form. */
export const WORKSPACE_DEFAULT = '*';

export type ConfigRecord = { id: string; slug: string; versionId: string; plan: Plan };

/** A service account on one tenant, with the roles that it holds there now. */
export type AccountRecord = {
  clientId: string;
  /** `<name>@<tsg_id>.iam.<domain>` */
  name: string;
  /** Tokens that were asked for with another version of the secret are refused. */
  secretVersion: number;
  /** The tenant, which need not be the account's own. */
  tsgId: string;
  organisationId: string;
  grants: readonly Grant[];
  /** Of the organisation; a workspace may have others. */
  switches: SwitchStates;
};

export type Grant = {
  /** Null for the whole tenant. */
  workspaceId: string | null;
  role: string;
  permissions: readonly Permission[];
};

/** A user of an organisation, with the roles that the user holds now. */
export type UserRecord = {
  id: string;
  email: string;
  organisationId: string;
  /** The tenant of the organisation; null where there is none. */
  tsgId: string | null;
  grants: readonly Grant[];
  /** Of the organisation; a workspace may have others. */
  switches: SwitchStates;
};

/** A sign-in at the console, under the hash of its secret. */
export type SignInRecord = {
  id: string;
  organisationId: string;
  /** When it ends unless it is used before, in milliseconds since the epoch; each noted use moves it. */
  endsAt: number;
  /** When it ends at the latest, in milliseconds since the epoch. */
  expiresAt: number;
  holder: SignInHolder;
};

/** Whom a sign-in stands for; what they may do is looked up with each request. */
export type SignInHolder =
  | { kind: 'user'; userId: string }
  /** `secretHash`: of the key that was shown at the sign-in. */
  | { kind: 'key'; secretHash: string }
  | { kind: 'service-account'; clientId: string; tsgId: string; secretVersion: number };

export type WorkspaceRecord = {
  id: string;
  slug: string;
  metadata: Record<string, string>;
  /** As in a `KeyRecord`. */
  savedConfigsOnly: boolean;
  logMode: LogMode | null;
  /** As they hold in the workspace. */
  switches: SwitchStates;
};

/** Reads documents of the administration, many at a time; an id without an answer does not exist. */
export type DirectorySource = {
  keys(secretHashes: string[]): Promise<Map<string, KeyRecord>>;
  /** Ids are `<workspaceId>/<slug>`. */
  providers(ids: string[]): Promise<Map<string, ProviderRecord>>;
  /** Ids are `<workspaceId>/<id or slug>`, or `WORKSPACE_DEFAULT` in place of the slug. */
  configs(ids: string[]): Promise<Map<string, ConfigRecord>>;
  /** Slugs of all providers, by workspace. */
  catalogues(workspaceIds: string[]): Promise<Map<string, string[]>>;
  /** Ids are `<client id>/<tsg id>`. */
  accounts(ids: string[]): Promise<Map<string, AccountRecord>>;
  /** Ids are `<organisationId>/<id or slug>`. */
  workspaces(ids: string[]): Promise<Map<string, WorkspaceRecord>>;
  users(ids: string[]): Promise<Map<string, UserRecord>>;
  signIns(secretHashes: string[]): Promise<Map<string, SignInRecord>>;
  /** What holds for all calls of each workspace: its policies, and limits of its own and of its organisation. */
  limits(workspaceIds: string[]): Promise<Map<string, readonly Limit[]>>;
  /** Ids are `<workspaceId>/<id or slug>`. */
  guardrails(ids: string[]): Promise<Map<string, CompiledGuardrail>>;
  /** What is enforced on all calls of each workspace: `NOTHING_ENFORCED` where that is nothing. */
  enforcedGuardrails(workspaceIds: string[]): Promise<Map<string, EnforcedGuardrails>>;
};

/** Tables that are asked through a function of their own. */
type Hidden = 'limits' | 'guardrails' | 'enforcedGuardrails';

export type Directory = {
  [K in Exclude<keyof DirectorySource, Hidden>]: Table<
    DirectorySource[K] extends (ids: string[]) => Promise<Map<string, infer T>> ? T : never
  >;
} & {
  /** `forget` drops what is known of an id, so that the next `get` reads it anew. */
  signIns: { forget(id: string): void };
  /**
   * The same list until something in it changes, so that what is made of it can be kept by it, and in a new list the same
   * limits where they did not change; empty for no workspace.
   */
  limitsOf(workspaceId: string): readonly Limit[] | Promise<readonly Limit[]>;
} & GuardrailLookup;

const affectedBy: Record<keyof DirectorySource, ChangeKind[]> = {
  keys: ['api_key', 'user', 'workspace', 'organisation'],
  providers: ['provider', 'integration', 'secret_reference'],
  configs: ['config'],
  catalogues: ['provider', 'integration'],
  accounts: ['tenant', 'service_account', 'access_policy', 'role', 'organisation'],
  workspaces: ['workspace', 'organisation'],
  users: ['user', 'workspace', 'tenant', 'organisation'],
  signIns: ['sign_in'],
  limits: ['limit', 'workspace', 'organisation'],
  guardrails: ['guardrail', 'secret_reference'],
  enforcedGuardrails: ['guardrail', 'secret_reference', 'workspace', 'organisation'],
};

/** The data plane's memory of keys, providers and configs, kept current by `changes`. */
export function createDirectory(source: DirectorySource, changes: Changes): Directory {
  const tables = {
    keys: createTable((ids) => source.keys(ids)),
    providers: createTable((ids) => source.providers(ids)),
    configs: createTable((ids) => source.configs(ids)),
    catalogues: createTable((ids) => source.catalogues(ids)),
    accounts: createTable((ids) => source.accounts(ids)),
    workspaces: createTable((ids) => source.workspaces(ids)),
    users: createTable((ids) => source.users(ids)),
    signIns: createTable((ids) => source.signIns(ids)),
    limits: createTable((ids) => source.limits(ids), withUnchanged),
    guardrails: createTable((ids) => source.guardrails(ids)),
    enforcedGuardrails: createTable((ids) => source.enforcedGuardrails(ids)),
  };
  changes.subscribe(async (kind) => {
    for (const [name, kinds] of Object.entries(affectedBy)) {
      if (kinds.includes(kind)) await tables[name as keyof DirectorySource].refresh();
    }
  });
  const { limits, guardrails, enforcedGuardrails, ...others } = tables;
  return {
    ...others,
    limitsOf: (workspaceId) => orNone(limits.get(workspaceId)),
    guardrailsOf: (workspaceId) => orNull(enforcedGuardrails.get(workspaceId)),
    guardrailById: (workspaceId, idOrSlug) => guardrails.get(`${workspaceId}/${idOrSlug}`),
  };
}

const none: readonly Limit[] = [];

const orNone = (found: readonly Limit[] | null | Promise<readonly Limit[] | null>) =>
  found instanceof Promise ? found.then((limits) => limits ?? none) : (found ?? none);

type Enforced = EnforcedGuardrails | null;

/** Null for what enforces nothing, so that calls without guardrails look at nothing. */
const orNull = (found: Enforced | Promise<Enforced>): Enforced | Promise<Enforced> => {
  if (found instanceof Promise) return found.then(orNull);
  return found === NOTHING_ENFORCED ? null : found;
};
