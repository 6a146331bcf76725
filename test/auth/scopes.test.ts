import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type ApiKeyType, apiKeyTypes, scopes } from '../../src/auth/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

/**
 * Group, scopes, and whether admin, service and user keys may hold them.
 */
const table: [group: string, scopes: string, admin: '✓' | '–', service: '✓' | '–', user: '✓' | '–'][] = [
  ['inference', 'completions.{write,read} models.list', '–', '✓', '✓'],
  ['invoke', 'mcp.invoke agents.invoke guardrails.invoke', '–', '✓', '✓'],
  ['prompts', 'prompts.{create,read,update,delete,list,publish}', '✓', '✓', '✓'],
  ['prompts', 'prompts.render', '–', '✓', '✓'],
  ['configs', 'configs.*', '✓', '✓', '✓'],
  ['guardrails', 'guardrails.*', '✓', '✓', '✓'],
  ['providers', 'providers.* virtual_keys.{create,read,update,delete,list,duplicate,copy}', '✓', '✓', '✓'],
  ['policies', 'policies.*', '✓', '✓', '✓'],
  ['mcp/agents', 'mcp_servers.* agent_servers.*', '✓', '✓', '✓'],
  [
    'workspace integrations',
    'workspace_integrations.* workspace_mcp_integrations.* workspace_agent_integrations.*',
    '✓',
    '✓',
    '✓',
  ],
  [
    'org integrations, list',
    'organisation_integrations.list organisation_mcp_integrations.list organisation_agent_integrations.list',
    '✓',
    '✓',
    '✓',
  ],
  [
    'org integrations, all else',
    'organisation_integrations.{create,read,update,delete} organisation_mcp_integrations.{create,read,update,delete} organisation_agent_integrations.{create,read,update,delete}',
    '✓',
    '–',
    '–',
  ],
  ['observability', 'analytics.view logs.{export,list,view}', '✓', '✓', '✓'],
  ['observability', 'logs.{write,read} feedbacks.{read,write}', '–', '✓', '✓'],
  ['workspaces', 'workspaces.{read,update,list}', '✓', '✓', '✓'],
  ['workspaces', 'workspaces.{create,delete}', '✓', '–', '–'],
  ['members', 'workspace_users.*', '✓', '✓', '✓'],
  [
    'keys',
    'workspace_service_api_keys.{create,read,update,delete,list,rotate} workspace_user_api_keys.{create,read,update,delete,list,rotate}',
    '✓',
    '✓',
    '–',
  ],
  [
    'org',
    'organisation_users.* organisation_service_api_keys.{create,read,update,delete,list,rotate} organisation_settings.{read,update} organisation_guardrails.* organisation_exclusions.{update,list} audit_logs.list plugins.{create,update,list} deployments.* secret_references.*',
    '✓',
    '–',
    '–',
  ],
];

/** `a.{x,y}` = a.x, a.y; `a.*` = create, read, update, delete, list */
const written = (text: string): string[] =>
  text.split(' ').flatMap((word) => {
    const [family, verbs = ''] = word.split(/\.(.*)/);
    const listed = verbs === '*' ? 'create,read,update,delete,list' : verbs.replace(/[{}]/g, '');
    return listed.split(',').map((verb) => `${family}.${verb}`);
  });

async function make(type: ApiKeyType, given: string[]) {
  const workspace = type !== 'organisation-service' && { workspace_id: app.workspaceId };
  const key = type === 'organisation-service' ? app.adminKey : app.workspaceKey;
  const body = { name: 'One', scopes: given, ...workspace };
  return app.rest('POST', `/v1/api-keys/${type.replace('-', '/')}`, { key, body });
}

describe('the scopes of keys', () => {
  it('are those of the table, 144 in all', () => {
    expect(table.flatMap(([, text]) => written(text)).sort()).toEqual([...scopes].sort());
    expect(scopes).toHaveLength(144);
  });

  it.each(table)('%s: %s: admin %s, service %s, user %s', async (_group, text, ...columns) => {
    for (const [index, type] of apiKeyTypes.entries()) {
      if (columns[index] === '✓') {
        const { status, body } = await make(type, written(text));
        expect({ type, status, body }).toMatchObject({ status: 200 });
        continue;
      }
      const holders = apiKeyTypes.filter((_, at) => columns[at] === '✓').join(' or ');
      for (const scope of written(text)) {
        const { status, body } = await make(type, [scope]);
        expect({ type, scope, status, body }).toMatchObject({
          status: 400,
          body: {
            error: {
              param: 'scopes[0]',
              message: `A key of type ${type} cannot hold the scope ${scope}; one of type ${holders} can.`,
            },
          },
        });
      }
    }
  });
});
