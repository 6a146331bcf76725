import { GatewayError } from '../../../errors/index.ts';
import { approvalIn } from '../../../runs/index.ts';
import type { RunDocument } from '../../../runs/run.ts';
import type { GraphContext } from '../../context.ts';
import { type CursorArguments, findCursorPage } from '../../cursor-page.ts';
import type { SubmitToolOutputsInput, UpdateRunInput } from '../../types.generated.ts';
import { notFound, requireReader, requireWriter, visible } from '../caller.ts';
import { metadataOf } from '../members/index.ts';
import { getThread } from '../thread/index.ts';
import { answered, requireStreamable } from './create.ts';
import { getRun } from './find.ts';
import { runModel } from './model.ts';

type Place = { threadId: string; id: string };

export async function listRuns(
  context: GraphContext,
  { threadId, ...args }: CursorArguments & { threadId: string },
) {
  await getThread(context, threadId);
  const tenant = visible(requireReader(context));
  const page = await findCursorPage(runModel(context.db), { threadId, ...tenant }, {}, args);
  return { ...page, data: await Promise.all(page.data.map((run) => context.runs.current(run))) };
}

export async function updateRun(
  context: GraphContext,
  { threadId, id }: Place,
  input: UpdateRunInput,
): Promise<RunDocument> {
  const owner = requireWriter(context);
  await getRun(context, threadId, id);
  const change =
    input.metadata === undefined ? {} : { metadata: metadataOf(input.metadata, 'input.metadata') };
  const updated = await runModel(context.db)
    .findOneAndUpdate({ _id: id, threadId, ...owner }, change, { returnDocument: 'after' })
    .lean<RunDocument>();
  if (!updated) throw notFound('run', id);
  return updated;
}

export async function cancelRun(context: GraphContext, { threadId, id }: Place): Promise<RunDocument> {
  requireWriter(context);
  return context.runs.cancel(await getRun(context, threadId, id));
}

export async function submitToolOutputs(
  context: GraphContext,
  { threadId, id }: Place,
  { toolOutputs, stream }: SubmitToolOutputsInput,
): Promise<RunDocument> {
  requireWriter(context);
  requireStreamable(context, { stream });
  const run = await getRun(context, threadId, id);
  if (run.status !== 'requires_action') {
    throw new GatewayError('VALIDATION_FAILED', {
      message: `Runs in status "${run.status}" do not accept tool outputs.`,
    });
  }
  const outputs = outputsFor(run, toolOutputs);
  return answered(context, await context.runs.submit(run, outputs, stream === true));
}

/** The output of a call that waits for approval says whether it is given. */
function requireApprovals(
  pending: RunDocument['pending'],
  given: SubmitToolOutputsInput['toolOutputs'],
): void {
  for (const [index, { toolCallId, output }] of given.entries()) {
    const call = pending.find(({ id }) => id === toolCallId);
    if (call?.type === 'function' || approvalIn(output ?? '') !== null) continue;
    const param = `input.toolOutputs[${index}].output`;
    throw new GatewayError('VALIDATION_FAILED', {
      message: `${param} must be {"approved": true} or {"approved": false}: the call of ${call?.name} waits for approval.`,
      param,
      reason: 'invalid_value',
    });
  }
}

/** One output for each call that waits. Throws where the ids are others. */
function outputsFor(
  { pending }: RunDocument,
  given: SubmitToolOutputsInput['toolOutputs'],
): Map<string, string> {
  const expected = pending.map((call) => call.id);
  const got = given.map(({ toolCallId }) => toolCallId);
  const isWhole = new Set(got).size === got.length && got.length === expected.length;
  if (isWhole && got.every((id) => expected.includes(id))) {
    requireApprovals(pending, given);
    return new Map(given.map(({ toolCallId, output }) => [toolCallId, output ?? '']));
  }
  const listed = (ids: string[]) => `[${ids.map((id) => `'${id}'`).join(', ')}]`;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `Expected tool outputs for call_ids ${listed(expected)}, got ${listed(got)}`,
    param: 'input.toolOutputs',
  });
}
