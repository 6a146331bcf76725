import { isScope, type Scope, scopes } from './scopes.ts';

/** What only access tokens may hold: administration of identities, beside the scopes of keys. */
export const iamPermissions = [
  'iam.access_policy',
  'iam.custom_role',
  'iam.service_account',
  'iam.tenant',
] as const;

/** What a role allows: a scope, or a permission on identities such as `iam.service_account`. */
export type Permission = Scope | (typeof iamPermissions)[number];

export const isPermission = (value: string): value is Permission =>
  isScope(value) || (iamPermissions as readonly string[]).includes(value);

const everything: Permission[] = [...scopes, ...iamPermissions];

const views = scopes.filter((scope) => /\.(read|list|view)$/.test(scope) && scope !== 'completions.read');

/** Families of which a workspace's administrators may do everything. */
const workspaceFamilies = new Set([
  'agent_servers',
  'agents',
  'analytics',
  'completions',
  'configs',
  'feedbacks',
  'guardrails',
  'logs',
  'mcp',
  'mcp_servers',
  'models',
  'policies',
  'prompts',
  'providers',
  'virtual_keys',
  'workspace_agent_integrations',
  'workspace_integrations',
  'workspace_mcp_integrations',
  'workspace_service_api_keys',
  'workspace_user_api_keys',
  'workspace_users',
]);
const familyOf = (scope: Scope) => scope.split('.')[0] ?? '';

const workspaceAdmin: Permission[] = [
  ...scopes.filter((scope) => workspaceFamilies.has(familyOf(scope))),
  'organisation_agent_integrations.list',
  'organisation_integrations.list',
  'organisation_mcp_integrations.list',
  'workspaces.list',
  'workspaces.read',
  'workspaces.update',
];
/** Managers may do what administrators may, but only administrators change the budget of a workspace. */
const workspaceManager = workspaceAdmin.filter(
  (scope) => familyOf(scope) !== 'policies' || /\.(read|list)$/.test(scope),
);
const workspaceMember = workspaceManager.filter((scope) => views.includes(scope));

/** Roles that every tenant has, by the slug that an access policy names. */
export const builtInRoles: ReadonlyMap<string, readonly Permission[]> = new Map<string, Permission[]>([
  ['superuser', everything],
  ['view_only_admin', views],
  ['organisation_owner', everything],
  ['organisation_admin', everything],
  // A member of the organisation sees nothing before a workspace adds them.
  ['organisation_member', []],
  ['workspace_admin', workspaceAdmin],
  ['workspace_manager', workspaceManager],
  ['workspace_member', workspaceMember],
]);
