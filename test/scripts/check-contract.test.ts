import { describe, expect, it } from '@jest/globals';
import { publicDocument } from '../../scripts/codegen/schema.ts';
import { pathDeviations } from '../../scripts/contract/administration.ts';
import { checkContract } from '../../scripts/contract/check.ts';
import type { Notation } from '../../scripts/contract/notation.ts';
import type { ContractOperation } from '../../scripts/contract/operation.ts';
import { ownOperations } from '../../scripts/contract/own-operations.ts';

const own = ownOperations(publicDocument()).filter(({ name }) => name === 'listConfigs');

const row: ContractOperation = {
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
function check(operation: Partial<ContractOperation>, shape: Notation = config, exceptions: string[] = []) {
  const contract = { operations: [{ ...row, ...operation }], shapes: { config: shape } };
  const reasons = exceptions.map((deviation) => ({ deviation, reason: 'meant' }));
  return checkContract(contract, own, reasons);
}

describe('the contract check', () => {
  it('finds nothing where both agree', () => {
    expect(check({})).toEqual({ served: 1, found: [], unexplained: [], idle: [] });
  });

  it('names every deviation', () => {
    const { workspace_id: _workspace, ...query } = row.query as Record<string, Notation>;
    const { slug: _slug, ...fewer } = config;
    const { found } = check(
      {
        surfaces: [{ base: 'v1' }, { base: 'iam/v1' }],
        scope: 'configs.read',
        query: { ...query, page_size: 'integer maximum=50 default=20', 'sort!': 'string' },
        request: { body: { 'name!': 'string' } },
        responses: { 200: { success: 'boolean', data: ['<config>'] }, 201: {} },
      },
      { ...fewer, is_default: 'boolean', status: 'string enum(active)', colour: 'string' },
    );
    expect(found.map((line) => line.replace('listConfigs ', '')).sort()).toEqual([
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

  it('knows an operation that the contract does not have, and one of another name', () => {
    expect(check({ path: '/other' })).toMatchObject({
      served: 0,
      found: ['listConfigs GET /configs: not in the contract'],
    });
    expect(check({ operation_id: 'allConfigs' }).found).toEqual(['allConfigs name: listConfigs']);
  });

  it('takes a reason for a deviation, and none for what does not deviate', () => {
    const shape = { ...config, is_default: 'boolean', colour: 'string' };
    const reasons = ['* 200.*.colour: missing', 'listConfigs query.*: missing'];
    const { unexplained, idle } = check({}, shape, reasons);
    expect(unexplained).toEqual(['listConfigs 200.data[].is_default: integer in place of boolean']);
    expect(idle.map(({ deviation }) => deviation)).toEqual(['listConfigs query.*: missing']);
  });
});

describe('the list of the administration’s paths', () => {
  const contract = {
    shapes: {},
    operations: [row, { ...row, method: 'POST' }, { ...row, path: '/threads', surfaces: [{ base: 'v1' }] }],
  };

  it('has every row that is no inference, and no other', () => {
    expect(pathDeviations(contract, { '/configs': ['POST', 'GET'] })).toEqual([]);
  });

  it('is told what it lacks and what it has beyond the contract', () => {
    expect(pathDeviations(contract, { '/configs': ['GET', 'PUT'] })).toEqual([
      'POST /configs: not in the list of paths',
      'PUT /configs: listed, but not in the contract',
    ]);
  });
});
