/** The kinds of gateway API key. */
export const apiKeyTypes = ['organisation-service', 'workspace-service', 'workspace-user'] as const;
export type ApiKeyType = (typeof apiKeyTypes)[number];

/** `<family>.<verb>`, e.g. `configs.create`. No scope implies another. */
export type Scope = string;

/** The 144 scopes, by the key types that may hold them. */
const vocabulary: { heldBy: ApiKeyType[]; families: Record<string, string> }[] = [
  {
    heldBy: ['organisation-service'],
    families: {
      audit_logs: 'list',
      deployments: 'create delete list read update',
      organisation_agent_integrations: 'create delete read update',
      organisation_exclusions: 'list update',
      organisation_guardrails: 'create delete list read update',
      organisation_integrations: 'create delete read update',
      organisation_mcp_integrations: 'create delete read update',
      organisation_service_api_keys: 'create delete list read rotate update',
      organisation_settings: 'read update',
      organisation_users: 'create delete list read update',
      plugins: 'create list update',
      secret_references: 'create delete list read update',
      workspaces: 'create delete',
    },
  },
  {
    heldBy: ['organisation-service', 'workspace-service'],
    families: {
      workspace_service_api_keys: 'create delete list read rotate update',
      workspace_user_api_keys: 'create delete list read rotate update',
    },
  },
  {
    heldBy: ['organisation-service', 'workspace-service', 'workspace-user'],
    families: {
      agent_servers: 'create delete list read update',
      analytics: 'view',
      configs: 'create delete list read update',
      guardrails: 'create delete list read update',
      logs: 'export list view',
      mcp_servers: 'create delete list read update',
      organisation_agent_integrations: 'list',
      organisation_integrations: 'list',
      organisation_mcp_integrations: 'list',
      policies: 'create delete list read update',
      prompts: 'create delete list publish read update',
      providers: 'create delete list read update',
      virtual_keys: 'copy create delete duplicate list read update',
      workspace_agent_integrations: 'create delete list read update',
      workspace_integrations: 'create delete list read update',
      workspace_mcp_integrations: 'create delete list read update',
      workspace_users: 'create delete list read update',
      workspaces: 'list read update',
    },
  },
  {
    heldBy: ['workspace-service', 'workspace-user'],
    families: {
      agents: 'invoke',
      completions: 'read write',
      feedbacks: 'read write',
      guardrails: 'invoke',
      logs: 'read write',
      mcp: 'invoke',
      models: 'list',
      prompts: 'render',
    },
  },
];

const holders = new Map<Scope, ReadonlySet<ApiKeyType>>(
  vocabulary.flatMap(({ heldBy, families }) =>
    Object.entries(families).flatMap(([family, verbs]) =>
      verbs.split(' ').map((verb) => [`${family}.${verb}`, new Set(heldBy)] as const),
    ),
  ),
);

/** The whole vocabulary, in a stable order. */
export const scopes: readonly Scope[] = [...holders.keys()];

export const isScope = (value: string): value is Scope => holders.has(value);

/** Every scope that a key of this type may carry, in a stable order. */
export const scopesFor = (type: ApiKeyType): Scope[] =>
  [...holders].filter(([, types]) => types.has(type)).map(([scope]) => scope);

export const mayHold = (type: ApiKeyType, scope: Scope): boolean => holders.get(scope)?.has(type) ?? false;

/** The types of key that may hold a scope; none for what is no scope. */
export const holdersOf = (scope: Scope): ApiKeyType[] => apiKeyTypes.filter((type) => mayHold(type, scope));
