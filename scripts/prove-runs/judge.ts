import { setTimeout as wait } from 'node:timers/promises';
import { type Collection, MongoClient } from 'mongodb';
import type { ThreadItem } from '../../src/runs/items.ts';
import type { RunDocument } from '../../src/runs/run.ts';

/** Milliseconds in which whatever a dead process has left is taken over and ended. */
const SETTLED_MS = 20_000;

type Runs = Collection<RunDocument>;
type Items = Collection<ThreadItem>;

async function withRuns<T>(uri: string, work: (runs: Runs, items: Items) => Promise<T>): Promise<T> {
  const client = await MongoClient.connect(uri);
  try {
    return await work(client.db().collection('runs'), client.db().collection('thread_items'));
  } finally {
    await client.close();
  }
}
/** Waits until no run and no message is open; those that stay so are faults. */
export function settled(uri: string): Promise<string[]> {
  return withRuns(uri, async (runs, items) => {
    const until = performance.now() + SETTLED_MS;
    for (;;) {
      const open = await runs.find({ active: true }).toArray();
      const said = await items.find({ status: 'in_progress' }).toArray();
      if (open.length === 0 && said.length === 0) return [];
      if (performance.now() > until)
        return [
          ...open.map(({ _id, status, owner }) => `${_id} stays ${status}, owned by ${owner}.`),
          ...said.map(({ _id, runId }) => `${_id} of ${runId} stays in progress.`),
        ];
      await wait(200);
    }
  });
}

/** What of the runs is not as it must be in the store. */
export const faultsOf = (uri: string, ids: ReadonlySet<string>): Promise<string[]> =>
  withRuns(uri, async (runs, items) => {
    const faults: string[] = [];
    for (const id of ids) {
      const run = await runs.findOne({ _id: id });
      const made = await items.find({ runId: id }).toArray();
      faults.push(...(run ? faultsIn(run, made) : [`${id} is gone.`]));
    }
    return faults;
  });

function faultsIn({ _id, status, steps, usage, active }: RunDocument, items: ThreadItem[]): string[] {
  const faults: string[] = [];
  const require = (isSo: boolean, what: string) => {
    if (!isSo) faults.push(`${_id} (${status}): ${what}`);
  };
  require(active === undefined, 'it holds its thread.');
  require(steps.every((step) => step.status !== 'in_progress' && step.endedAt), 'a step is open.');
  require(items.every(
    (item) => item.kind === 'calls' || item.status !== 'in_progress',
  ), 'a message is open.');
  if (status !== 'completed') return faults;
  const messageIds = items.flatMap(({ kind, _id: id }) => (kind === 'message' ? [id] : []));
  const stepMessages = steps.flatMap(({ messageId }) => messageId ?? []);
  require(JSON.stringify(stepMessages) === JSON.stringify(messageIds), 'its steps show other messages.');
  require(steps.length === items.length, `it has ${steps.length} steps for ${items.length} items.`);
  const sum = (count: 'promptTokens' | 'completionTokens') =>
    steps.reduce((all, step) => all + (step.usage?.[count] ?? 0), 0);
  require(usage?.promptTokens === sum('promptTokens') &&
    usage.completionTokens === sum('completionTokens'), 'its usage is not the sum of its steps.');
  return faults;
}
