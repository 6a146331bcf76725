import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  limitOfRatePolicy,
  type RateLimitPolicyDocument,
  rateLimitPolicyModel,
} from '../../../src/subgraphs/routing/rate-limit-policy/index.ts';
import { createPolicyReader } from '../../../src/subgraphs/routing/workspace-limits/known-policies.ts';
import { startApp, type TestApp } from '../../support/app.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

type Workspace = { _id: string; slug: string };

/** A reader, and the ids of the policies that it made a limit of since they were asked for last. */
function watchedReader() {
  let made: string[] = [];
  const read = createPolicyReader<RateLimitPolicyDocument>(app.db, {
    modelOf: rateLimitPolicyModel,
    limitOf(policy, workspace) {
      made.push(policy._id);
      return limitOfRatePolicy(policy, workspace);
    },
  });
  return {
    async limitsOf(workspace: Workspace) {
      made = [];
      const limits = (await read([workspace])).get(workspace._id) ?? [];
      return { limits, made, amounts: limits.map(({ amount }) => amount) };
    },
    async amountsOf(...workspaces: Workspace[]) {
      made = [];
      const found = await read(workspaces);
      return { made, amounts: workspaces.map(({ _id }) => found.get(_id)?.map(({ amount }) => amount)) };
    },
  };
}

let count = 0;
async function policiesIn(workspace: Workspace, amounts: readonly number[]): Promise<string[]> {
  const ids = amounts.map(() => `policy-${++count}`);
  await rateLimitPolicyModel(app.db).create(
    amounts.map((value, at) => ({
      ...{
        _id: ids[at],
        organisationId: 'organisation',
        workspaceId: workspace._id,
        status: 'active' as const,
      },
      ...{ type: 'requests' as const, unit: 'rpm' as const, value, target: 'llm' as const },
      conditions: [{ key: 'workspace_id', value: workspace.slug }],
      groupBy: [{ key: 'api_key' }],
      createdAt: new Date(count - amounts.length + at),
    })),
  );
  return ids;
}

const put = (_id: string | undefined, change: object) =>
  rateLimitPolicyModel(app.db).updateOne({ _id }, change);

it('reads those policies that changed since, and keeps the limits of the others', async () => {
  const workspace = { _id: 'workspace-1', slug: 'one' };
  const ids = await policiesIn(workspace, [1, 2, 3, 4, 5]);
  const reader = watchedReader();
  const first = await reader.limitsOf(workspace);
  expect(first).toMatchObject({ amounts: [1, 2, 3, 4, 5], made: ids });

  const again = await reader.limitsOf(workspace);
  expect(again).toMatchObject({ amounts: [1, 2, 3, 4, 5], made: [] });
  for (const [at, limit] of again.limits.entries()) expect(limit).toBe(first.limits[at]);

  await put(ids[2], { value: 30 });
  const [sixth] = await policiesIn(workspace, [6]);
  await put(ids[0], { status: 'archived' });
  const after = await reader.limitsOf(workspace);
  expect(after).toMatchObject({ amounts: [2, 30, 4, 5, 6], made: [ids[2], sixth] });
  expect(after.limits[0]).toBe(first.limits[1]);

  await put(ids[0], { status: 'active' });
  expect(await reader.limitsOf(workspace)).toMatchObject({ amounts: [1, 2, 30, 4, 5, 6], made: [ids[0]] });
});

it('follows a change that another clock dated before the last one', async () => {
  const workspace = { _id: 'workspace-2', slug: 'two' };
  const [id] = await policiesIn(workspace, [1]);
  const reader = watchedReader();
  await reader.limitsOf(workspace);
  const lastUpdatedAt = new Date(Date.now() - 3_600_000);
  await rateLimitPolicyModel(app.db).collection.updateOne(
    { _id: id as never },
    { $set: { value: 7, lastUpdatedAt } },
  );
  expect(await reader.limitsOf(workspace)).toMatchObject({ amounts: [7], made: [id] });
});

it('reads all of a workspace anew that is called otherwise, since conditions may name it', async () => {
  const workspace = { _id: 'workspace-3', slug: 'three' };
  const ids = await policiesIn(workspace, [1, 2]);
  const reader = watchedReader();
  await reader.limitsOf(workspace);
  const renamed = await reader.limitsOf({ ...workspace, slug: 'four' });
  expect(renamed.made).toEqual(ids);
  expect(renamed.limits[0]?.conditions).toMatchObject([{ values: ['three'] }]);
});

it('reads many changes at once, and what came to nothing in between', async () => {
  const workspace = { _id: 'workspace-5', slug: 'five' };
  const ids = await policiesIn(
    workspace,
    Array.from({ length: 250 }, (_, at) => at + 1),
  );
  const reader = watchedReader();
  await reader.limitsOf(workspace);
  await rateLimitPolicyModel(app.db).updateMany(
    { workspaceId: workspace._id, value: { $lte: 200 } },
    { $inc: { value: 1000 } },
  );
  const { made, amounts } = await reader.limitsOf(workspace);
  expect(made).toEqual(ids.slice(0, 200));
  expect(amounts).toEqual(ids.map((_, at) => (at < 200 ? at + 1001 : at + 1)));
});

it('keeps several workspaces apart, whatever becomes of one of them', async () => {
  const [one, two, none] = ['six', 'seven', 'eight'].map((slug) => ({ _id: `workspace-${slug}`, slug })) as [
    Workspace,
    Workspace,
    Workspace,
  ];
  const ids = await policiesIn(one, [1, 2, 3]);
  await policiesIn(two, [4, 5]);
  const reader = watchedReader();
  const seen = () => reader.amountsOf(one, none, two);
  expect((await seen()).amounts).toEqual([[1, 2, 3], [], [4, 5]]);
  await put(ids[2], { status: 'archived' });
  expect(await seen()).toEqual({ made: [], amounts: [[1, 2], [], [4, 5]] });
  await put(ids[2], { status: 'active' });
  const [last] = await policiesIn(none, [6]);
  expect(await seen()).toEqual({ made: [last, ids[2]], amounts: [[1, 2, 3], [6], [4, 5]] });
  await put(ids[1], { value: 20 });
  expect(await seen()).toEqual({ made: [ids[1]], amounts: [[1, 20, 3], [6], [4, 5]] });
  await put(ids[0], { status: 'archived' });
  expect(await seen()).toEqual({ made: [], amounts: [[20, 3], [6], [4, 5]] });
  expect(await seen()).toEqual({ made: [], amounts: [[20, 3], [6], [4, 5]] });
});

it('knows what it knew where a read breaks off', async () => {
  const workspace = { _id: 'workspace-9', slug: 'nine' };
  const ids = await policiesIn(workspace, [1, 2]);
  let breaks = false;
  const read = createPolicyReader<RateLimitPolicyDocument>(app.db, {
    modelOf: rateLimitPolicyModel,
    limitOf(policy, place) {
      if (breaks) throw new Error('The read breaks off.');
      return limitOfRatePolicy(policy, place);
    },
  });
  const amounts = async () => (await read([workspace])).get(workspace._id)?.map(({ amount }) => amount);
  expect(await amounts()).toEqual([1, 2]);
  await put(ids[0], { value: 10 });
  breaks = true;
  await expect(amounts()).rejects.toThrow('breaks off');
  breaks = false;
  expect(await amounts()).toEqual([10, 2]);
});
