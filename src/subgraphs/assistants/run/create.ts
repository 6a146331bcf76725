import { credentialOf } from '../../../authentication/authenticate.ts';
import { GatewayError } from '../../../errors/index.ts';
import { headersOfPerson } from '../../../mcp/models/index.ts';
import { sealCaller, traceOf } from '../../../runs/caller.ts';
import { timeOrderedId } from '../../../runs/ids.ts';
import type { Begun, NewRun } from '../../../runs/index.ts';
import { dueAtOf, RUN_TIME_MS, type RunDocument } from '../../../runs/run.ts';
import { isMcpTool } from '../../../runs/settings.ts';
import type { GraphContext } from '../../context.ts';
import { ownAddress } from '../../own-address.ts';
import type { CreateRunInput, CreateThreadAndRunInput } from '../../types.generated.ts';
import { type AssistantDocument, findAssistant } from '../assistant/index.ts';
import { requireWriter } from '../caller.ts';
import { type Included, showsContents } from '../included.ts';
import { requireMcpTools } from '../mcp-tools.ts';
import { metadataOf } from '../members/index.ts';
import { bringToThread, getThread, newThread, type ThreadDocument, threadShape } from '../thread/index.ts';
import { messageItems, writtenMessage } from '../thread-message/index.ts';
import { type RunInput, settingsOf } from './settings.ts';

/** Has an assistant answer a thread. */
export async function createRun(
  context: GraphContext,
  threadId: string,
  { include, ...input }: CreateRunInput & Included,
): Promise<RunDocument> {
  const owner = requireWriter(context);
  requireStreamable(context, input);
  const assistant = ahead(findAssistant(context, input.assistantId));
  const thread = await getThread(context, threadId);
  const written = (input.additionalMessages ?? []).map((message, index) =>
    writtenMessage(message, `input.additionalMessages[${index}]`),
  );
  const run = await runFor(context, thread, { assistant: await assistant, input }, showsContents(include));
  // The files first: the run offers its tools at once.
  await bringToThread(context, thread, written);
  const opening = messageItems(context, owner, threadId, written);
  const begun = await context.runs.create(
    { ...run, ...(opening.length > 0 && { opening }) },
    { isStreamed: input.stream === true },
  );
  return answered(context, begun);
}

/** Checks everything first: a run that is refused leaves no thread behind. */
export async function createThreadAndRun(
  context: GraphContext,
  input: CreateThreadAndRunInput,
): Promise<RunDocument> {
  requireWriter(context);
  requireStreamable(context, input);
  const { thread: threadInput, ...runInput } = input;
  const assistant = ahead(findAssistant(context, input.assistantId));
  const { thread, items, prepare, inserts, remove } = await newThread(
    context,
    threadInput ?? {},
    'input.thread',
  );
  const run = await runFor(context, thread, { assistant: await assistant, input: runInput }, false);
  const begun = await context.runs
    .create(run, {
      isStreamed: input.stream === true,
      before: { event: 'thread.created', data: threadShape(thread) },
      thread: { items, prepare, inserts },
    })
    .catch(async (error: unknown) => {
      await remove();
      throw error;
    });
  return answered(context, begun);
}

/** Leaves the events to the door, which answers them in place of the run. */
export function answered(context: GraphContext, { run, events }: Begun): RunDocument {
  if (events) context.answerEvents?.(events);
  return run;
}

/** Refuses a stream where the door has none. */
export function requireStreamable(context: GraphContext, { stream }: { stream?: boolean | null }): void {
  if (stream !== true || context.answerEvents) return;
  throw new GatewayError('VALIDATION_FAILED', {
    message: 'input.stream must be absent here: the events of a run come over REST.',
    param: 'input.stream',
  });
}

/** Something that is read before it is needed: its error counts where it is awaited. */
function ahead<T>(reading: Promise<T>): Promise<T> {
  reading.catch(() => undefined);
  return reading;
}

async function runFor(
  context: GraphContext,
  thread: ThreadDocument,
  { assistant, input }: { assistant: AssistantDocument; input: RunInput },
  withContents: boolean,
): Promise<NewRun> {
  const { headers } = context.request;
  if (!credentialOf(headers)) {
    throw new GatewayError('FORBIDDEN', {
      message: 'A run calls models with the credential of its request: send an API key or a token.',
    });
  }
  const settings = settingsOf(assistant, input, context.runs.hostedTools);
  const servers = await requireMcpTools(context, settings.tools, {
    workspaceId: thread.workspaceId,
    param: input.tools == null ? 'input.assistantId' : 'input.tools',
  });
  const metadata = metadataOf(input.metadata, 'input.metadata');
  const createdAt = context.now();
  const _id = timeOrderedId('run');
  return {
    _id,
    organisationId: thread.organisationId,
    workspaceId: thread.workspaceId,
    threadId: thread._id,
    assistantId: assistant._id,
    assistantVersion: assistant.version,
    ...settings,
    metadata,
    incompleteReason: null,
    isLogged: input.stream === true,
    showsContents: withContents,
    sealedCaller: sealCaller(context.secrets, headers, _id, headersOfPerson(servers, headers)),
    ...(settings.tools.some(isMcpTool) && { address: ownAddress(context) }),
    traceId: traceOf(headers, _id),
    dueAt: dueAtOf(createdAt, input.stream ? 'streamed' : 'polled'),
    createdAt,
    startedAt: null,
    expiresAt: new Date(createdAt.getTime() + RUN_TIME_MS),
    completedAt: null,
    cancelledAt: null,
    failedAt: null,
  };
}
