import { type Scope, scopes } from '../scopes.ts';

/** The built-in roles that switches change. Owners and admins of workspaces are not among them. */
export const switchedRoles = ['organisation_admin', 'workspace_manager', 'workspace_member'] as const;
export type SwitchedRole = (typeof switchedRoles)[number];

type Switch = {
  area: string;
  /** What the role may do while the switch is on, as the end of a sentence. */
  allows: string;
  role: SwitchedRole;
  isOnByDefault: boolean;
  /** What the role loses while the switch is off. */
  takes?: readonly Scope[];
  /** What the role gets beyond its own while the switch is on. */
  gives?: readonly Scope[];
  /** True where the role sees, while the switch is off, only the requests that came with keys of its own user. */
  hidesOthersRequests?: true;
  /** False where a workspace cannot have a state of its own. */
  isOverridable: boolean;
};

const used = ['invoke', 'render'];

/** The scopes of a family, but for those that use what others made. */
const administering = (...families: string[]): Scope[] =>
  scopes.filter((scope) => {
    const [family = '', verb = ''] = scope.split('.');
    return families.includes(family) && !used.includes(verb);
  });
const writing = (...families: string[]): Scope[] =>
  administering(...families).filter((scope) => !/\.(list|read)$/.test(scope));

const admins = { role: 'organisation_admin', isOnByDefault: true, isOverridable: false } as const;
const managers = { role: 'workspace_manager', isOnByDefault: true, isOverridable: true } as const;
const members = { role: 'workspace_member', isOnByDefault: true, isOverridable: true } as const;
const atFirstOff = { ...members, isOnByDefault: false } as const;

const logs = { area: 'logs', allows: 'open request logs', takes: ['logs.export', 'logs.read', 'logs.view'] };
const metadata = {
  area: 'logs',
  allows: 'list request logs, without headers and bodies',
  takes: ['logs.export', 'logs.list'],
};
const analytics = { area: 'analytics', allows: 'see analytics', takes: ['analytics.view'] };
const data = {
  area: 'data',
  allows: 'see the requests of all keys, in logs and analytics',
  hidesOthersRequests: true,
} as const;
const prompts = { area: 'prompts', allows: 'see prompts', takes: administering('prompts') };
const writesPrompts = { area: 'prompts', allows: 'make, change, publish and delete prompts' };
const guardrails = { area: 'guardrails', allows: 'see guardrails', takes: administering('guardrails') };
const ofProviders = ['providers', 'virtual_keys'] as const;
const providers = { area: 'providers', allows: 'see providers', takes: administering(...ofProviders) };
const ofKeys = ['workspace_service_api_keys', 'workspace_user_api_keys'] as const;
const writesIntegrations = (what: string, family: string) => ({
  area: 'integrations',
  allows: `make, change and delete ${what}`,
  takes: writing(family),
});

/**
 * The switches of an organisation. Whoever may not see something may not change it either: an answer to a change shows it.
 * The SDL, the rights of roles and docs/reference/switches.md follow from this table.
 */
const table = {
  orgAdminsViewLogs: { ...admins, ...logs },
  orgAdminsViewLogsMetadata: { ...admins, ...metadata },
  managersViewLogs: { ...managers, ...logs },
  managersViewLogsMetadata: { ...managers, ...metadata },
  membersViewLogs: { ...members, ...logs },
  membersViewLogsMetadata: { ...members, ...metadata },
  managersViewAnalytics: { ...managers, ...analytics },
  membersViewAnalytics: { ...members, ...analytics },
  managersViewAllData: { ...managers, ...data },
  membersViewAllData: { ...members, ...data },
  managersViewPrompts: { ...managers, ...prompts },
  managersWritePrompts: { ...managers, ...writesPrompts, takes: writing('prompts') },
  membersViewPrompts: { ...members, ...prompts },
  membersWritePrompts: { ...atFirstOff, ...writesPrompts, gives: writing('prompts') },
  managersViewGuardrails: { ...managers, ...guardrails },
  managersWriteGuardrails: {
    ...managers,
    area: 'guardrails',
    allows: 'make, change and delete guardrails',
    takes: writing('guardrails'),
  },
  membersViewGuardrails: { ...members, ...guardrails },
  managersViewProviders: { ...managers, ...providers },
  managersManageProviders: {
    ...managers,
    area: 'providers',
    allows: 'make, change and delete providers',
    takes: writing(...ofProviders),
  },
  membersViewProviders: { ...members, ...providers },
  managersWriteWsIntegrations: {
    ...managers,
    ...writesIntegrations('integrations of the workspace', 'workspace_integrations'),
  },
  managersWriteWsMcpIntegrations: {
    ...managers,
    ...writesIntegrations('MCP integrations of the workspace', 'workspace_mcp_integrations'),
  },
  managersWriteMcpServers: { ...managers, ...writesIntegrations('MCP servers', 'mcp_servers') },
  managersViewApiKeys: {
    ...managers,
    area: 'API keys',
    allows: 'see the user keys and service keys of the workspace',
    takes: administering(...ofKeys),
  },
  managersManageApiKeys: {
    ...managers,
    area: 'API keys',
    allows: 'make, change, rotate and delete user keys and service keys',
    takes: writing(...ofKeys),
  },
  membersViewApiKeys: {
    ...members,
    area: 'API keys',
    allows: 'see user keys of their own',
    takes: administering(...ofKeys),
  },
  membersManageApiKeys: {
    ...atFirstOff,
    area: 'API keys',
    allows: 'make, change, rotate and delete user keys of their own, and call models',
    // Nobody gives a key what they lack.
    gives: [...writing('workspace_user_api_keys'), 'completions.write', 'prompts.render'],
  },
  membersContribute: {
    ...atFirstOff,
    area: 'flat organisation',
    allows: 'make and change prompts and guardrails, and make configs',
    gives: ['configs.create', 'guardrails.create', 'guardrails.update', 'prompts.create', 'prompts.update'],
  },
} satisfies Record<string, Switch>;

export type SwitchName = keyof typeof table;

export const switches: Readonly<Record<SwitchName, Switch>> = table;

export const switchNames = Object.keys(table) as SwitchName[];
