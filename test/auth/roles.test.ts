import { describe, expect, it } from '@jest/globals';
import { builtInRoles, iamPermissions, type Permission, scopes } from '../../src/auth/index.ts';

const roles = [
  'organisation_owner',
  'organisation_admin',
  'organisation_member',
  'workspace_admin',
  'workspace_manager',
  'workspace_member',
];

type Cell = '✓' | '–';

/** Every verb of these families that the vocabulary has. */
const all = (...families: string[]): Permission[] =>
  scopes.filter((scope) => families.includes(scope.split('.')[0] ?? ''));
const verbs = (list: string, ...families: string[]): Permission[] =>
  all(...families).filter((scope) => list.split(' ').includes(scope.split('.')[1] ?? ''));

const resources = [
  'agent_servers',
  'configs',
  'guardrails',
  'mcp_servers',
  'prompts',
  'providers',
  'virtual_keys',
  'workspace_agent_integrations',
  'workspace_integrations',
  'workspace_mcp_integrations',
];

/**
 * What each role may do. What depends on a switch is as the switch is by default: managers create workspace keys, members create none, budgets are not the managers'.
 */
const table: [capability: string, permissions: Permission[], ...cells: Cell[]][] = [
  ['org settings', all('organisation_settings'), '✓', '✓', '–', '–', '–', '–'],
  ['create/delete workspaces', ['workspaces.create', 'workspaces.delete'], '✓', '✓', '–', '–', '–', '–'],
  ['admin keys', all('organisation_service_api_keys'), '✓', '✓', '–', '–', '–', '–'],
  ['org roles and invites', all('organisation_users'), '✓', '✓', '–', '–', '–', '–'],
  ['access permissions', [...iamPermissions], '✓', '✓', '–', '–', '–', '–'],
  [
    'org integrations',
    verbs(
      'create read update delete',
      'organisation_integrations',
      'organisation_mcp_integrations',
      'organisation_agent_integrations',
    ),
    '✓',
    '✓',
    '–',
    '–',
    '–',
    '–',
  ],
  [
    'add org members to the workspace, assign workspace roles',
    verbs('create update', 'workspace_users'),
    '✓',
    '✓',
    '–',
    '✓',
    '✓',
    '–',
  ],
  [
    'create workspace keys',
    verbs('create', 'workspace_service_api_keys', 'workspace_user_api_keys'),
    '✓',
    '✓',
    '–',
    '✓',
    '✓',
    '–',
  ],
  ['workspace budgets', verbs('create update delete', 'policies'), '✓', '✓', '–', '✓', '–', '–'],
  [
    'create/update/delete resources',
    verbs('create update delete', ...resources),
    '✓',
    '✓',
    '–',
    '✓',
    '✓',
    '–',
  ],
  ['view resources', [...verbs('read list', ...resources), 'analytics.view'], '✓', '✓', '–', '✓', '✓', '✓'],
  ['audit logs', all('audit_logs'), '✓', '✓', '–', '–', '–', '–'],
];

describe('the built-in roles', () => {
  it.each(table)('%s', (_capability, permissions, ...cells) => {
    expect(permissions).not.toEqual([]);
    for (const [index, role] of roles.entries()) {
      const held = permissions.filter((permission) => builtInRoles.get(role)?.includes(permission));
      expect([role, held]).toEqual([role, cells[index] === '✓' ? permissions : []]);
    }
  });

  it('admin access to every workspace: owners and admins hold all that its own administrators do', () => {
    for (const role of ['organisation_owner', 'organisation_admin']) {
      expect(builtInRoles.get(role)).toEqual(
        expect.arrayContaining([...(builtInRoles.get('workspace_admin') ?? [])]),
      );
    }
  });

  it('superuser holds everything, view_only_admin what changes nothing', () => {
    expect([...(builtInRoles.get('superuser') ?? [])].sort()).toEqual([...scopes, ...iamPermissions].sort());
    const viewed = builtInRoles.get('view_only_admin') ?? [];
    expect(viewed.filter((permission) => !/\.(read|list|view)$/.test(permission))).toEqual([]);
    expect(viewed).toEqual(expect.arrayContaining(['audit_logs.list', 'configs.read', 'logs.view']));
  });

  it('are these and no others', () => {
    expect([...builtInRoles.keys()].sort()).toEqual([...roles, 'superuser', 'view_only_admin'].sort());
  });
});
