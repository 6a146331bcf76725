import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { OperationTypeNode } from 'graphql';
import { createGraph, readSources } from '../../src/graph/index.ts';
import { timeOrderedId } from '../../src/runs/ids.ts';
import { RUN_TIME_MS } from '../../src/runs/run.ts';
import { runModel } from '../../src/subgraphs/assistants/run/index.ts';
import { subgraphs } from '../../src/subgraphs/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { fillThreads } from '../support/filled-threads.ts';
import { openSubscriptions, until } from '../support/subscriptions.ts';
import { type Caller, type Callers, createCallers, nobody } from './access/callers.ts';
import { lacksAll, without } from './access/permissions.ts';
import { documentOf, rootFields } from './access/root-fields.ts';

const { schema } = createGraph(readSources(subgraphs));

let app: TestApp;
let callers: Callers;
/** What a subscription insists on, by its coordinate. */
let values: Record<string, object>;
beforeAll(async () => {
  app = await startApp();
  callers = createCallers(app, app);
  const { threadId, runId } = await fillThreads(app, app, [timeOrderedId('run')]);
  // It goes on as long as nobody executes it.
  const open = { active: true, status: 'in_progress', expiresAt: new Date(Date.now() + RUN_TIME_MS) };
  await runModel(app.db).updateOne({ _id: runId }, { $set: open });
  values = { 'Subscription.runEvents': { threadId, runId } };
});
afterAll(() => app.stop());

const fields = rootFields(schema, OperationTypeNode.SUBSCRIPTION);

describe.each(fields.map((root) => [root.coordinate, root] as const))('%s', (_coordinate, root) => {
  const subscribe = (caller: Caller, signal?: AbortSignal) => {
    const variables = values[root.coordinate] ?? {};
    return fetch(`${app.url}/graphql/stream`, {
      method: 'POST',
      headers: { accept: 'text/event-stream', 'content-type': 'application/json', ...caller },
      body: JSON.stringify({ query: documentOf(root, variables), variables }),
      signal,
    });
  };

  it('is closed without a credential, and to one with all other scopes', async () => {
    expect((await subscribe(nobody)).status).toBe(401);
    const refused = await subscribe(await callers.account(without(root.anyOf ?? [])));
    expect(await refused.text()).toContain(lacksAll(root.anyOf));
  });

  it('opens to each of its scopes alone', async () => {
    for (const scope of root.anyOf ?? []) {
      const leaving = new AbortController();
      const { status } = await subscribe(await callers.account([scope]), leaving.signal);
      expect(status).toBe(200);
      await until(async () => (await openSubscriptions(app.url)) === 1);
      leaving.abort();
      await until(async () => (await openSubscriptions(app.url)) === 0);
    }
  });
});
