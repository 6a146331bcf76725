import { randomUUID } from 'node:crypto';
import type { Collection } from 'mongodb';
import { GatewayError } from '../errors/index.ts';
import type { Changes } from '../storage/changes.ts';
import { isUnavailable } from '../storage/unavailable.ts';
import type { RunDeps } from './deps.ts';
import { followRun, type RunEventPlace } from './events/follow.ts';
import { createLooks } from './events/looks.ts';
import { createExecutor, type RunSlots, tellerOf } from './executor.ts';
import type { Beginning, NewRun, NewThread } from './new-run.ts';
import { isOverdue, isResponse, type RunDocument } from './run.ts';
import { type Begun, busy, createSubmission, inUse } from './submit.ts';
import { change } from './transitions.ts';
import { storeOpening } from './turn/store-opening.ts';
import { createInstances, type RunInstanceDocument } from './upkeep/instances.ts';
import { createQueue } from './upkeep/queue.ts';
import { cancelAtRest, expire } from './upkeep/sweep.ts';
import { createUpkeep } from './upkeep/upkeep.ts';

export type RunEngine = ReturnType<typeof createRunEngine>;

type EngineDeps = RunDeps & {
  instances: () => Collection<RunInstanceDocument>;
  changes: Pick<Changes, 'publish' | 'subscribe'>;
  slots: RunSlots;
  /** Runs of a workspace that may wait for a place. */
  mostQueued: number;
};

/** Executes runs: those that this process made, those that wait, and those of processes that have died. */
export function createRunEngine(deps: EngineDeps) {
  const { runs, now } = deps;
  const me = randomUUID();
  const instances = createInstances(deps.instances, me);
  const executor = createExecutor(deps, deps.slots, () => upkeep.doubt());
  const queue = createQueue(deps, { me, executor });
  const looks = createLooks(deps);

  async function create(made: NewRun, { isStreamed, before, thread }: Beginning): Promise<Begun> {
    await upkeep.begin();
    const isOwn = queue.admits(made.workspaceId);
    if (!isOwn) {
      await requireRoom(made.workspaceId);
      queue.crowd(made.workspaceId);
    }
    const run: RunDocument = {
      ...made,
      status: isOwn ? 'in_progress' : 'queued',
      active: true,
      owner: isOwn ? me : null,
      fence: isOwn ? 1 : 0,
      attempt: isOwn ? 1 : 0,
      turn: 0,
      pending: [],
      steps: [],
      usage: null,
      lastError: null,
      startedAt: isOwn ? made.createdAt : null,
    };
    if (isOwn) executor.expect(run._id);
    const stored = store(run, thread);
    const teller = tellerOf(deps, run, isStreamed, stored);
    if (before) teller.say(before.event, before.data);
    const shown: RunDocument = { ...run, status: 'queued', startedAt: null };
    teller.run('created', shown);
    teller.run('queued', shown);
    // Nobody else can have a run of a new thread: the model is asked while both are being stored.
    const isEarly = isOwn && thread !== undefined;
    if (isEarly) executor.launch(run, teller, { history: thread.items, stored });
    stored.catch(() => executor.forsake(run._id));
    await stored;
    if (isEarly) return { run: shown, events: teller.channel };
    const isThere = thread ? Promise.resolve() : requireThread(run);
    isThere.catch(() => executor.forsake(run._id));
    // Responses tell before they could be held back.
    if (isResponse(run) || !isOwn) await isThere;
    if (isOwn) executor.launch(run, teller, { stored: isThere });
    else executor.wait(run._id, teller);
    await isThere;
    return { run: shown, events: teller.channel };
  }

  /** Takes a run back whose thread was deleted before the run was there to be deleted with it. */
  async function requireThread(run: RunDocument): Promise<void> {
    const { threadId, response } = run;
    if (response?.conversationId === null) return;
    const isThere = await deps.hasThread(threadId).catch((error: unknown) => withdraw(run, error));
    if (isThere) return;
    const message = `No ${response ? 'conversation' : 'thread'} found with id '${threadId}'.`;
    await withdraw(run, new GatewayError('NOT_FOUND', { message }));
  }

  /** Stores a run and what comes with it, or nothing of either. */
  async function store(run: RunDocument, thread: NewThread | undefined): Promise<void> {
    if (thread) await insertWith(thread, run);
    else await insert(run);
    await storeOpening(deps, run).catch((error: unknown) => withdraw(run, error));
  }

  /** The thread comes first: it may be there without the run, and not the other way round. */
  async function insertWith({ prepare, inserts }: NewThread, run: RunDocument): Promise<void> {
    try {
      await prepare();
      await deps.together.insert([...inserts, { collection: runs().collectionName, document: run }]);
    } catch (error) {
      return withdraw(run, error);
    }
  }

  async function insert(run: RunDocument): Promise<void> {
    for (let tries = 0; ; tries++) {
      try {
        await runs().insertOne(run);
        return;
      } catch (error) {
        // The store may have done what it did not answer.
        if (isUnavailable(error)) return withdraw(run, error);
        if ((error as { code?: unknown } | null)?.code !== 11000) throw error;
        const other = await activeRun(run.threadId);
        if (other && run.response) throw inUse(run.threadId);
        if (other) throw busy(`Thread ${run.threadId} already has an active run ${other._id}.`);
        if (tries > 2) throw error;
      }
    }
  }

  /** Takes a run back that cannot begin; where that fails, too, whoever asks again would find it there. */
  async function withdraw({ _id, opening = [] }: RunDocument, error: unknown): Promise<never> {
    try {
      await runs().deleteOne({ _id });
      await deps.items().deleteMany({ _id: { $in: opening.map((item) => item._id) } });
    } catch {
      upkeep.doubt();
      throw new GatewayError('STORE_UNAVAILABLE', {
        cause: error,
        headers: { 'x-should-retry': 'false' },
      });
    }
    throw error;
  }

  async function requireRoom(workspaceId: string): Promise<void> {
    const waiting = { active: true, workspaceId, status: 'queued' } as const;
    const queued = await runs().countDocuments(waiting, { limit: deps.mostQueued });
    if (queued < deps.mostQueued) return;
    throw new GatewayError('TOO_MANY_WAITING_RUNS', {
      retryAfter: 1,
      headers: { 'x-should-retry': 'true' },
    });
  }

  /** The run that answers a thread now; null for none. One whose time is over ends by the look. */
  async function activeRun(threadId: string): Promise<RunDocument | null> {
    const found = await runs().findOne({ threadId, active: true });
    if (!found || !isOverdue(found, now())) return found;
    await expireRun(found);
    return null;
  }

  async function expireRun(run: RunDocument): Promise<RunDocument | null> {
    const expired = await expire(deps, run);
    if (expired) executor.interrupt(run._id, 'expire');
    return expired;
  }

  /** A run as it is now: one whose time is over is expired. */
  async function current(run: RunDocument): Promise<RunDocument> {
    if (!isOverdue(run, now())) return run;
    return (await expireRun(run)) ?? (await runs().findOne({ _id: run._id })) ?? run;
  }

  async function cancel(run: RunDocument): Promise<RunDocument> {
    const asked = await change(runs(), 'askToCancel', run, {});
    if (asked) {
      executor.interrupt(run._id, 'cancel');
      return asked;
    }
    const cancelled = await cancelAtRest(deps, run);
    if (cancelled) {
      const teller = executor.takeWaiting(run._id);
      teller?.run('cancelled', cancelled);
      teller?.done();
      // It is told as one that is about to end, which has no usage yet.
      return { ...cancelled, status: 'cancelling', active: true, cancelledAt: null };
    }
    const found = await runs().findOne({ _id: run._id });
    // It was claimed, or it came to rest, since it was read.
    if (found && (found.fence !== run.fence || found.status !== run.status)) return cancel(found);
    throw busy(`Cannot cancel run with status '${(found ?? run).status}'.`);
  }

  /** Gives up the runs of a thread that is deleted. */
  async function forgetThread(threadId: string): Promise<void> {
    const found = await runs()
      .find({ threadId }, { projection: { _id: 1 } })
      .toArray();
    await runs().deleteMany({ threadId });
    for (const { _id } of found) executor.interrupt(_id, 'gone');
  }

  /** Gives up a run that is deleted, and nothing else of its thread. */
  async function forgetRun(id: string): Promise<void> {
    await runs().deleteOne({ _id: id });
    executor.interrupt(id, 'gone');
  }

  const upkeep = createUpkeep(deps, {
    ...{ me, executor, queue, instances },
    changes: deps.changes,
    expire: expireRun,
  });

  return {
    /** The hosted tools that runs may have. */
    hostedTools: new Set(deps.tools.map(({ type }) => type)),
    create,
    activeRun,
    current,
    cancel,
    submit: createSubmission(deps, { me, executor, upkeep }),
    forgetThread,
    forgetRun,
    /** The events of a run, from the beginning of the present turn or behind a place. */
    follow: (run: RunDocument, after: RunEventPlace | null) =>
      followRun({ runs, batches: deps.batches, looks }, run, after),
    start: upkeep.start,
    /** Gives up what is executed here, for other processes to go on with. */
    async stop(): Promise<void> {
      await upkeep.stop();
      await executor.stop();
      await deps.eventLog.settled();
      // What could not be given up is taken over by those who find this process dead.
      if (!(await runs().findOne({ owner: me, active: true }, { projection: { _id: 1 } })))
        await instances.forget(me);
    },
  };
}
