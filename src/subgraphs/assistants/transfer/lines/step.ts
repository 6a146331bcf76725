import { z } from 'zod';
import type { JsonObject } from '../../../../lib/json.ts';
import type { CallsItem, HostedCall, RunCall } from '../../../../runs/items.ts';
import type { RunDocument, StepRecord } from '../../../../runs/run.ts';
import { callsItemId } from '../../../../runs/turn/steps.ts';
import { parsed } from '../../members/index.ts';
import { runModel } from '../../run/index.ts';
import { threadItemModel } from '../../thread-message/index.ts';
import { id, moment, runError, seconds, text, usage } from './common.ts';
import { refused, requireForm, type Scene } from './scene.ts';

const MOST_CALLS = 128;
/** Steps of a run at most: each turn makes three. */
const MOST_STEPS = 256;

const hosted = z.record(z.string(), z.unknown());
const call = z.discriminatedUnion('type', [
  z.object({
    id,
    type: z.literal('function'),
    function: z.object({ name: z.string().min(1).max(128), arguments: text, output: text.nullish() }),
  }),
  z.object({ id: z.string().max(255), type: z.literal('code_interpreter'), code_interpreter: hosted }),
  z.object({ id: z.string().max(255), type: z.literal('file_search'), file_search: hosted }),
]);

const schema = z.object({
  id,
  created_at: seconds,
  thread_id: id,
  run_id: id,
  status: z.enum(['completed', 'failed', 'cancelled', 'expired']),
  step_details: z.discriminatedUnion('type', [
    z.object({ type: z.literal('message_creation'), message_creation: z.object({ message_id: id }) }),
    z.object({ type: z.literal('tool_calls'), tool_calls: z.array(call).max(MOST_CALLS) }),
  ]),
  last_error: runError,
  completed_at: moment,
  failed_at: moment,
  cancelled_at: moment,
  expired_at: moment,
  usage,
});
type Line = z.infer<typeof schema>;

/** A step becomes the last one of its run, with a turn of its own, by which its calls are found. */
export async function takeStep(scene: Scene, value: JsonObject): Promise<boolean> {
  const line = parsed(schema, value, '');
  requireForm(line.id, 'step_');
  await scene.requireThread(line.thread_id);
  const createdAt = scene.clock.timeOf(value);
  for (;;) {
    const run = await runOf(scene, line);
    const found = run.steps.find((step) => step.id === line.id);
    const step = found ?? recordOf(line, run.steps.length, createdAt);
    if (!found && !(await isAdded(scene, run, step))) continue;
    // Also where the step is there: a process may have died between the two. What the gateway has said itself stays.
    if (step.type === 'tool_calls' && run.fence === 0) await keepCalls(scene, run, line, step);
    return !found;
  }
}

async function runOf({ context, owner }: Scene, { run_id: runId, thread_id: threadId }: Line) {
  const run = await runModel(context.db)
    .findOne({ _id: runId, threadId, ...owner })
    .lean<RunDocument>();
  if (!run) throw refused('run_id', 'run_id names no run of its thread; the line of a run comes first.');
  return run;
}

/** False where another import was first. */
async function isAdded({ context, owner }: Scene, run: RunDocument, step: StepRecord): Promise<boolean> {
  if (run.fence > 0) throw refused('run_id', 'run_id names a run that was made here, and has its steps.');
  if (run.steps.length >= MOST_STEPS) throw refused('run_id', `A run has at most ${MOST_STEPS} steps.`);
  const { modifiedCount } = await runModel(context.db).collection.updateOne(
    { _id: run._id as never, ...owner, steps: { $size: run.steps.length } },
    { $push: { steps: step } as never },
  );
  return modifiedCount === 1;
}

const recordOf = (line: Line, turn: number, createdAt: Date): StepRecord => ({
  id: line.id,
  turn,
  type: line.step_details.type,
  isHosted: false,
  status: line.status,
  messageId:
    line.step_details.type === 'message_creation' ? line.step_details.message_creation.message_id : null,
  createdAt,
  endedAt: line.completed_at ?? line.failed_at ?? line.cancelled_at ?? line.expired_at ?? createdAt,
  usage: line.usage,
  lastError:
    line.last_error?.code === 'invalid_prompt'
      ? { ...line.last_error, code: 'server_error' }
      : line.last_error,
});

async function keepCalls({ context, owner }: Scene, run: RunDocument, line: Line, step: StepRecord) {
  const given = line.step_details.type === 'tool_calls' ? line.step_details.tool_calls : [];
  const item: CallsItem = {
    _id: callsItemId(run._id, step.turn),
    ...owner,
    threadId: run.threadId,
    runId: run._id,
    ...{ fence: 0, turn: step.turn, finish: null, createdAt: step.createdAt },
    kind: 'calls',
    calls: given.map(callOf),
  };
  const { _id, ...members } = item;
  await threadItemModel(context.db).collection.updateOne(
    { _id: _id as never, ...owner },
    { $setOnInsert: members as never },
    { upsert: true },
  );
}

/**
 * Calls of both kinds may stand in one step, which shows those for the caller alone: hosted ones count as approved. What they told
 * the model is not known, so that it is sent nothing of them.
 */
function callOf(given: z.infer<typeof call>): RunCall {
  const { id: callId, type } = given;
  if (type === 'function') {
    const { name, arguments: asked, output } = given.function;
    return { id: callId, type, name, arguments: asked, output: output ?? null };
  }
  const details = type === 'file_search' ? given.file_search : given.code_interpreter;
  const common = { id: callId, name: type, arguments: '', output: null, parts: [], citations: [] };
  return { ...common, type, details, approval: 'given' } satisfies HostedCall;
}
