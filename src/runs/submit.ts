import { z } from 'zod';
import { GatewayError } from '../errors/index.ts';
import type { RunDeps } from './deps.ts';
import type { EventChannel } from './events/channel.ts';
import { Teller } from './events/teller.ts';
import { type Executor, writerOf } from './executor.ts';
import { type CallsItem, isFunctionCall, type RunCall } from './items.ts';
import { type RunDocument, withStepsEnded } from './run.ts';
import { change } from './transitions.ts';
import { callsItemId } from './turn/steps.ts';
import type { Upkeep } from './upkeep/upkeep.ts';

/** A run and, where somebody reads along, its events. */
export type Begun = { run: RunDocument; events: EventChannel | null };

type Given = { me: string; executor: Executor; upkeep: Pick<Upkeep, 'begin' | 'doubt'> };

/** Takes the outputs of functions and approvals of calls, with which a run goes on: here where there is a place. */
export function createSubmission(deps: RunDeps, { me, executor, upkeep }: Given) {
  const { runs, now } = deps;

  async function submit(
    run: RunDocument,
    outputs: ReadonlyMap<string, string>,
    isStreamed: boolean,
  ): Promise<Begun> {
    await upkeep.begin();
    const at = now();
    const guard = { expiresAt: { $gt: at } };
    // Of callers who come at the same time the last one to claim the run is the one whose outputs it goes on with.
    const claimed = await change(runs(), 'takeOutputs', run, { increase: { fence: 1 }, guard });
    if (!claimed) throw await refusal(run);
    const calls = await callsWith(claimed, outputs);
    // The outputs first: a run that goes on has them all.
    await deps
      .items()
      .updateOne(
        { _id: callsItemId(run._id, run.turn), runId: run._id, fence: { $lte: claimed.fence } },
        { $set: { calls, fence: claimed.fence } as Partial<CallsItem> },
      );
    const isOwn = executor.places(run.workspaceId) > 0;
    // What the caller has approved is yet to be called: the turn goes on, and its step with it.
    const isTurnOver = calls.every(({ output }) => output !== null);
    const steps = isTurnOver ? withStepsEnded(run.steps, 'completed', at) : run.steps;
    if (isOwn) executor.expect(run._id);
    const resumed = await change(runs(), 'resume', claimed, {
      set: {
        steps,
        pending: [],
        turn: isTurnOver ? run.turn + 1 : run.turn,
        attempt: isOwn ? 1 : 0,
        dueAt: at,
        ...(isStreamed && { isLogged: true }),
        ...(isOwn && { status: 'in_progress', owner: me, startedAt: at }),
      },
      guard,
    }).catch((error: unknown) => {
      executor.forsake(run._id);
      if (isOwn) upkeep.doubt();
      throw error;
    });
    if (!resumed) {
      executor.forsake(run._id);
      throw await refusal(run);
    }
    const teller = new Teller(isStreamed, writerOf(deps, resumed));
    const shown: RunDocument = { ...resumed, status: 'queued' };
    const completed = steps.at(-1);
    if (completed && isTurnOver) teller.step('completed', resumed, completed, calls);
    teller.run('queued', shown);
    if (isOwn) executor.launch(resumed, teller);
    else executor.wait(run._id, teller);
    return { run: shown, events: teller.channel };
  }

  /** Why a run takes no outputs that took some when it was read. */
  async function refusal(run: RunDocument): Promise<GatewayError> {
    const { status } = (await runs().findOne({ _id: run._id })) ?? run;
    return status === 'requires_action'
      ? busy('Runs whose outputs come from another request at this moment do not accept tool outputs.')
      : busy(`Runs in status "${status}" do not accept tool outputs.`);
  }

  /** The calls of the present turn with the outputs of the caller. */
  async function callsWith(
    run: RunDocument,
    outputs: ReadonlyMap<string, string>,
  ): Promise<readonly RunCall[]> {
    const answered = run.pending.map((call) => answeredCall(call, outputs.get(call.id) ?? ''));
    if (!run.steps.some(({ turn, isHosted }) => isHosted && turn === run.turn)) return answered;
    const item = await deps.items().findOne({ _id: callsItemId(run._id, run.turn), runId: run._id });
    if (item?.kind !== 'calls') throw new Error('A run that waits for outputs has its calls.');
    return item.calls.map((call) => answered.find(({ id }) => id === call.id) ?? call);
  }

  return submit;
}

/** A function with its output; a call that waits for approval with the word of the caller, which alone is no output. */
function answeredCall(call: RunCall, output: string): RunCall {
  if (isFunctionCall(call)) return { ...call, output };
  return approvalIn(output) === true
    ? { ...call, approval: 'given' }
    : { ...call, approval: 'refused', output: 'The user did not approve the call.' };
}

/** What the output of a call that waits for approval says; null where it says neither. */
export function approvalIn(output: string): boolean | null {
  try {
    return approval.safeParse(JSON.parse(output)).data?.approved ?? null;
  } catch {
    return null;
  }
}

const approval = z.object({ approved: z.boolean() });

/** A conversation that a response is being made for: whoever asks again later gets on. */
export const inUse = (conversationId: string): GatewayError =>
  new GatewayError('IN_PROGRESS', {
    message: `The conversation ${conversationId} is in use by a response that has not ended yet.`,
    reason: 'conversation_locked',
  });

/** What the state of a thread or a run does not allow. */
export const busy = (message: string): GatewayError => new GatewayError('VALIDATION_FAILED', { message });
