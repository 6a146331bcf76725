import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { operationsOf } from '../support/operations.ts';

let app: TestApp;
let call: ReturnType<typeof operationsOf>;

beforeAll(async () => {
  app = await startApp();
  call = operationsOf(app, app.workspaceKey);
});
afterAll(() => app.stop());

// The compiler is half of this test: `npm run check` fails where a type is not what is used here.
describe('the generated types of REST operations', () => {
  it('lead from a create over a list to a read', async () => {
    const { data: made } = await call('createConfig', {
      body: { name: 'Typed', config: { retry: { attempts: 2 } } },
    });
    const { data: rows } = await call('listConfigs', { parameters: { page_size: 10 } });
    const { data: read } = await call('getConfig', { parameters: { slug: made.id } });
    const [row] = rows;
    const { config, ...shown } = read;
    expect(row && { ...row, version_id: made.version_id }).toEqual(shown);
    expect(config).toEqual({ retry: { attempts: 2 } });
    const status: 'active' | 'archived' = read.status;
    expect(status).toBe('active');
  });

  it('refuse what the API refuses', async () => {
    // @ts-expect-error a config needs a name
    await expect(call('createConfig', { body: { config: {} } })).rejects.toThrow('name');
    // @ts-expect-error there is no such parameter
    await expect(call('listConfigs', { parameters: { colour: 'red' } })).rejects.toThrow('colour');
    // @ts-expect-error a size is a number
    await expect(call('listConfigs', { parameters: { page_size: 'many' } })).rejects.toThrow('page_size');
    // @ts-expect-error no level has this name
    await expect(call('listIntegrations', { parameters: { type: 'galaxy' } })).rejects.toThrow('type');
  });
});
