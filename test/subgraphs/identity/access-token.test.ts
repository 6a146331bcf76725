import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

describe('an access token', () => {
  it('opens every surface', async () => {
    const token = await app.token();
    const headers = { authorization: `Bearer ${token}` };
    for (const path of [
      '/v2/configs',
      '/v2/admin/workspaces',
      '/admin/v2/integrations',
      '/v1/admin/workspaces',
    ]) {
      const { status, body } = await app.rest('GET', path, { key: null, headers });
      expect({ path, status, body }).toMatchObject({ path, status: 200 });
    }
    const { data, errors } = await app.graphql('{ workspaces { data { name } } }', {}, token);
    expect({ data, errors }).toMatchObject({ data: { workspaces: { data: [{}] } } });
  });
});
