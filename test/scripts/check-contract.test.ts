import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const root = join(import.meta.dirname, '../..');
const run = promisify(execFile);

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sluice-contract-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const row = {
  operation_id: 'listConfigs',
  method: 'GET',
  path: '/configs',
  surfaces: [{ base: 'v2' }, { base: 'v1' }],
  scope: 'configs.list',
  query: {
    workspace_id: 'string',
    current_page: 'integer minimum=0',
    page_size: 'integer minimum=1 maximum=1000 default=100',
  },
  request: {},
  responses: { 200: { success: 'boolean', data: ['<config>'] } },
};
const config = {
  id: 'string uuid',
  name: 'string',
  slug: 'string',
  organisation_id: 'string uuid',
  workspace_id: 'string uuid',
  is_default: 'integer',
  status: 'string enum(active|archived)',
  owner_id: 'string',
  updated_by: 'string',
  created_at: 'string date-time',
  last_updated_at: 'string date-time',
};

/** What the check says of our listConfigs, given this contract. */
async function deviationsFrom(operation: object, shape: object = config): Promise<string[]> {
  await writeFile(join(folder, 'operations.json'), JSON.stringify([{ ...row, ...operation }]));
  await writeFile(join(folder, 'resources.json'), JSON.stringify({ shapes: { config: shape } }));
  const script = join(root, 'scripts/check-contract.ts');
  // It always fails here: this contract lacks all other operations.
  const { stderr } = await run(process.execPath, [script, folder], { cwd: root }).catch((error) => error);
  const lines: string[] = stderr.split('\n');
  return lines.filter((line) => line.startsWith('listConfigs ')).map((line) => line.slice(12));
}

describe('the contract check', () => {
  it('finds nothing where both agree', async () => {
    expect(await deviationsFrom({})).toEqual([]);
  });

  it('names every deviation', async () => {
    const { workspace_id: _workspace, ...query } = row.query;
    const { slug: _slug, ...fewer } = config;
    const found = await deviationsFrom(
      {
        surfaces: [{ base: 'v1' }, { base: 'iam/v1' }],
        scope: 'configs.read',
        query: { ...query, page_size: 'integer maximum=50 default=20', 'sort!': 'string' },
        request: { body: { 'name!': 'string' } },
        responses: { 200: { success: 'boolean', data: ['<config>'] }, 201: {} },
      },
      { ...fewer, is_default: 'boolean', status: 'string enum(active)', colour: 'string' },
    );
    expect(found.sort()).toEqual([
      '200.data[].colour: missing',
      '200.data[].is_default: integer in place of boolean',
      '200.data[].slug: not in the contract',
      '200.data[].status: has a value archived',
      'base iam/v1: missing',
      'base v2: not in the contract',
      'body: missing',
      'query.page_size: default 100 in place of 20',
      'query.page_size: maximum 1000 in place of 50',
      'query.sort: missing',
      'query.workspace_id: not in the contract',
      'scope configs.list: not in the contract',
      'scope configs.read: missing',
      'status 201: missing',
    ]);
  });

  it('wants no reason for what does not deviate', async () => {
    await deviationsFrom({});
    const check = run(process.execPath, [join(root, 'scripts/check-contract.ts'), folder], { cwd: root });
    await expect(check).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No deviation any more, so no exception: '),
    });
  });
});
