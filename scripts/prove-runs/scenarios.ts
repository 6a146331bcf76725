import { setTimeout as wait } from 'node:timers/promises';
import type { Db } from 'mongodb';
import type { RunDocument } from '../../src/runs/run.ts';
import { type Caller, LATE_MS } from './caller.ts';

/** Milliseconds between two looks at a run. */
const LOOK_MS = 100;
/** Said so slowly that nobody waits for its end. */
const LONG = Array.from({ length: 60 }, (_none, at) => `word${at}`).join(' ');

/** Milliseconds that the mock model takes for it. */
const LONG_MS = 4000;

type World = { caller: Caller; db: Db; speakerId: string };
/** Something that callers do with a run; what is not as it must be becomes a fault of the caller. */
export type Scenario = (world: World) => Promise<void>;

/** What each run is put through at every one of its fault points. */
export const scenarios = {
  streamed: ({ caller }) => caller.converse(true),
  polled: ({ caller }) => caller.converse(false),
  together: async ({ caller, db, speakerId }) => {
    const messages = [{ role: 'user', content: 'one two three four five' }];
    const body = { assistant_id: speakerId, thread: { messages }, stream: true };
    const answer = await caller.client.request('POST', '/threads/runs', body);
    if (answer && answer.status !== 200 && answer.status < 500) caller.faults.push(answer.text);
    await requireThreads(caller, db);
  },
  cancelled: async (world) => {
    const { caller } = world;
    const { path } = await begun(world);
    const taken = new Set<string>();
    await ended(
      caller,
      path,
      // A gateway that stands still may take the request when another one has brought the run to its end.
      (id) => (taken.has(id) ? ['cancelled'] : ['cancelled', 'completed']),
      async (id) => {
        const answer = await caller.client.request('POST', `${path}/${id}/cancel`);
        if (answer?.status === 200) taken.add(id);
      },
    );
  },
  expired: async (world) => {
    const { caller, db } = world;
    const { path } = await begun(world);
    const over = new Set<string>();
    await ended(
      caller,
      path,
      // On a busy machine a run may come to its end before its time is over.
      (id) => (over.has(id) ? ['expired'] : ['expired', 'completed']),
      async (id) => {
        const past = { $set: { expiresAt: new Date(0) } };
        const runs = db.collection<RunDocument>('runs');
        const { matchedCount } = await runs.updateOne({ _id: id, active: true }, past);
        if (matchedCount > 0) over.add(id);
      },
    );
    if (over.size === 0) caller.faults.push(`${path}: no run was there to expire.`);
  },
  deleted: async (world) => {
    const { caller, db } = world;
    const { threadId } = await begun(world);
    const until = Date.now() + LATE_MS;
    for (;;) {
      const answer = await caller.client.request('DELETE', `/threads/${threadId}`);
      if (answer?.status === 200 || answer?.status === 404) break;
      if (Date.now() > until) return void caller.faults.push(`${threadId} could not be deleted.`);
    }
    // A process that does not know of it speaks on to the end.
    await wait(LONG_MS);
    await requireGone(caller, db, threadId);
  },
} as const satisfies Record<string, Scenario>;

export type ScenarioName = keyof typeof scenarios;

/** A thread with a run that goes on for long. */
async function begun({ caller, speakerId }: World): Promise<{ threadId: string; path: string }> {
  const { client } = caller;
  const messages = [{ role: 'user', content: LONG }];
  const { id: threadId } = await client.make('/threads', { messages });
  const path = `/threads/${threadId}/runs`;
  for (;;) {
    const answer = await client.request('POST', path, { assistant_id: speakerId });
    if (answer?.status === 200 || answer?.text.includes('already has an active run')) break;
    if (answer && answer.status < 500) throw new Error(`${path}: ${answer.text}`);
    if ((await runsOf(caller, path)).length > 0) break;
  }
  // Long enough for its message to be shown before its end.
  await wait(500);
  return { threadId, path };
}

type Shown = { id: string; status: string; last_error: { message: string } | null };

const runsOf = async (caller: Caller, path: string): Promise<Shown[]> =>
  (await caller.client.get<{ data: Shown[] }>(path)).data;

/** Asks until all runs of a thread have ended, and requires how. */
async function ended(
  caller: Caller,
  path: string,
  ends: (id: string) => readonly string[],
  ask: (id: string) => Promise<unknown>,
): Promise<void> {
  const until = Date.now() + LATE_MS;
  for (;;) {
    const runs = await runsOf(caller, path);
    const open = runs.filter(({ status }) => ['queued', 'in_progress', 'cancelling'].includes(status));
    if (open.length === 0) {
      for (const { id, status, last_error: error } of runs) {
        caller.runIds.add(id);
        const isWorn = error?.message.includes('each process');
        if (!ends(id).includes(status) && !isWorn)
          caller.faults.push(`${id} is ${status}: ${error?.message}`);
      }
      return;
    }
    if (Date.now() > until) return void caller.faults.push(`${path}: ${open[0]?.status} for too long.`);
    for (const { id, status } of open) if (status !== 'cancelling') await ask(id);
    await wait(LOOK_MS);
  }
}

/** Nothing of a deleted thread may be left, once the process is back that was to delete it. */
async function requireGone(caller: Caller, db: Db, threadId: string): Promise<void> {
  const until = Date.now() + LATE_MS;
  for (;;) {
    const runs = await db.collection('runs').countDocuments({ threadId });
    const items = await db.collection('thread_items').countDocuments({ threadId });
    if (runs + items === 0) return;
    if (Date.now() > until)
      return void caller.faults.push(`${threadId} is deleted; ${runs} runs and ${items} items are left.`);
    await wait(LOOK_MS);
  }
}

/** Waits until no run is open, and requires that each one has a thread. */
async function requireThreads(caller: Caller, db: Db): Promise<void> {
  const runs = db.collection<RunDocument>('runs');
  const until = Date.now() + LATE_MS;
  while (await runs.findOne({ active: true, status: { $ne: 'requires_action' } })) {
    if (Date.now() > until) return void caller.faults.push('A run does not end.');
    await wait(LOOK_MS);
  }
  for (const { _id, threadId } of await runs.find().toArray()) {
    const thread = await db.collection<{ _id: string }>('threads').findOne({ _id: threadId });
    if (!thread) caller.faults.push(`${_id} has no thread.`);
    caller.runIds.add(_id);
  }
}
