import type { KeptCall, ResponseAnswer, ResponseKeeper } from '../../../dataplane/keeping/keeper.ts';
import { isKeptId, KEPT_RESPONSE } from '../../../dataplane/keeping/kept-ids.ts';
import { GatewayError } from '../../../errors/index.ts';
import { sealCaller, traceOf } from '../../../runs/caller.ts';
import { timeOrderedId } from '../../../runs/ids.ts';
import type { NewRun } from '../../../runs/index.ts';
import { itemIdOf, keptItem, RESPONSE_TIME_MS } from '../../../runs/responses/record.ts';
import { responseShape } from '../../../runs/responses/shape.ts';
import { dueAtOf, isResponse, type ResponseRun, type RunDocument } from '../../../runs/run.ts';
import type { RunSettings } from '../../../runs/settings.ts';
import { runModel } from '../run/index.ts';
import { threadModel } from '../thread/index.ts';
import { answerOfEvents } from './answer.ts';
import { type GivenResponse, givenResponse } from './given.ts';
import { removeResponse } from './remove.ts';
import type { ResponseServices } from './services.ts';

/** Responses that one may go on from, through all of them. */
const MAX_ANCESTORS = 1000;

type Owner = { organisationId: string; workspaceId: string };

/** Keeps responses: what the model is asked, and what it says. */
export function createResponseKeeper(services: ResponseServices): ResponseKeeper {
  return async (call) => {
    const given = givenResponse(call);
    const owner = { organisationId: call.principal.organisationId, workspaceId: call.workspaceId };
    const ancestors = await ancestorsOf(services, owner, given);
    if (given.conversationId !== null) await requireConversation(services, owner, given.conversationId);
    const run = newResponse(services, owner, { call, given, ancestors });
    if (given.conversationId === null) await storePlace(services, run);
    try {
      return await answered(services, run, { call, given });
    } catch (error) {
      await removeResponse(services, run);
      throw error;
    }
  };
}

type Asked = { call: KeptCall; given: GivenResponse };

async function answered(
  services: ResponseServices,
  made: NewRun,
  { call, given }: Asked,
): Promise<ResponseAnswer> {
  const isWaitedFor = !given.isBackground;
  const { run, events } = await services.runs.create(made, { isStreamed: isWaitedFor || given.isStreamed });
  if (!isResponse(run)) throw new Error('A response was not made.');
  if (isWaitedFor)
    return answerOfEvents(services, run, { events, isStreamed: given.isStreamed, signal: call.signal });
  if (events) return { kind: 'events', events: withoutEnd(events) };
  const body = JSON.stringify(responseShape(run, []));
  return { kind: 'whole', status: 200, headers: {}, body };
}

async function* withoutEnd<Event extends { event: string }>(
  events: AsyncIterable<Event>,
): AsyncGenerator<Event> {
  for await (const event of events) if (event.event !== 'done' && event.event !== 'refused') yield event;
}

/** The response that another goes on from, behind all that it goes on from itself. */
async function ancestorsOf(
  { db }: ResponseServices,
  owner: Owner,
  { previousId }: GivenResponse,
): Promise<string[]> {
  if (previousId === null) return [];
  const found = isKeptId(previousId)
    ? await runModel(db)
        .findOne({ _id: previousId, ...owner })
        .lean<RunDocument>()
    : null;
  if (!found || !isResponse(found)) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: `Previous response with id '${previousId}' not found.`,
      param: 'previous_response_id',
      reason: 'previous_response_not_found',
    });
  }
  if (found.active) throw unusable('previous_response_id', `The response ${previousId} has not ended yet.`);
  if (found.response.conversationId !== null) {
    const { conversationId } = found.response;
    throw unusable(
      'previous_response_id',
      `The response belongs to a conversation: send conversation ${conversationId}.`,
    );
  }
  const ancestors = [...found.response.ancestors, previousId];
  if (ancestors.length <= MAX_ANCESTORS) return ancestors;
  throw unusable(
    'previous_response_id',
    `A response goes on from at most ${MAX_ANCESTORS} others: use a conversation.`,
  );
}

const unusable = (param: string, message: string) =>
  new GatewayError('VALIDATION_FAILED', { message, param });

async function requireConversation({ db }: ResponseServices, owner: Owner, id: string): Promise<void> {
  const found = await threadModel(db)
    .findOne({ _id: id, ...owner }, { _id: 1 })
    .lean();
  if (found) return;
  throw new GatewayError('NOT_FOUND', {
    message: `No conversation found with id '${id}'.`,
    param: 'conversation',
  });
}

/** A response without a conversation lies on a thread of its own, by which it is kept and erased like any other. */
async function storePlace({ db }: ResponseServices, run: NewRun): Promise<void> {
  const { _id, organisationId, workspaceId, metadata, createdAt } = run;
  const place = { _id, organisationId, workspaceId, toolResources: {}, metadata };
  await threadModel(db).collection.insertOne({ ...place, createdAt, lastUpdatedAt: createdAt } as never);
}

function newResponse(
  { now, secrets }: ResponseServices,
  owner: Owner,
  { call, given, ancestors }: Asked & { ancestors: string[] },
): NewRun & Pick<ResponseRun, 'response'> {
  const _id = timeOrderedId(KEPT_RESPONSE);
  const createdAt = now();
  const common = { ...owner, threadId: _id, runId: _id, fence: 0, createdAt };
  const opening = given.items.map((item, place) =>
    keptItem({ _id: itemIdOf(_id, 'input', place), item, isInput: true }, common),
  );
  const { isBackground, isStreamed, conversationId, previousId } = given;
  const time = isBackground ? RESPONSE_TIME_MS.inBackground : RESPONSE_TIME_MS.waitedFor;
  const response = { conversationId, previousId, ancestors, isBackground, outcome: null };
  return {
    ...withoutSettings,
    _id,
    ...owner,
    threadId: conversationId ?? _id,
    model: given.model,
    metadata: given.metadata,
    ...(opening.length > 0 && { opening }),
    response: { ...response, request: JSON.stringify(given.request) },
    isLogged: isBackground && isStreamed,
    sealedCaller: sealCaller(secrets, call.headers, _id),
    traceId: traceOf(call.headers, call.traceId),
    dueAt: dueAtOf(createdAt, isBackground ? 'inBackground' : 'streamed'),
    createdAt,
    expiresAt: new Date(createdAt.getTime() + time),
  };
}

/** What runs of assistants have and responses do not. */
const withoutSettings: Omit<RunSettings, 'model'> &
  Pick<NewRun, 'assistantId' | 'assistantVersion' | 'incompleteReason' | 'showsContents'> &
  Pick<NewRun, 'startedAt' | 'completedAt' | 'cancelledAt' | 'failedAt'> = {
  assistantId: '',
  assistantVersion: 0,
  instructions: '',
  tools: [],
  toolResources: {},
  temperature: null,
  topP: null,
  maxPromptTokens: null,
  maxCompletionTokens: null,
  truncationStrategy: { type: 'auto', last_messages: null },
  toolChoice: 'auto',
  parallelToolCalls: true,
  responseFormat: 'auto',
  reasoningEffort: null,
  incompleteReason: null,
  showsContents: false,
  startedAt: null,
  completedAt: null,
  cancelledAt: null,
  failedAt: null,
};
