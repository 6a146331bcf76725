import { createEventReader } from '../../lib/event-stream/index.ts';
import { isObject, type JsonObject, parsedObject } from '../../lib/json.ts';
import { BrokenAnswer } from '../turn/read-chat.ts';
import { itemIdOf, shownId, withShownRequest } from './record.ts';

/** What the model has said in all, as its provider wrote it. */
export type WholeAnswer = JsonObject & { status: 'completed' | 'incomplete' };

/** Characters of an event: the last one has the whole answer. */
const MAX_EVENT = 12 * 1024 * 1024;

/** The gateway tells these itself. */
const ofResponse = /^response\.(?:created|queued|in_progress|completed|incomplete|failed)$/;

/**
 * Reads the events of a response, tells those about its items with the ids that the gateway gives them, and answers the response
 * as it ends. Throws BrokenAnswer.
 */
export async function readResponse(
  body: AsyncIterable<Buffer>,
  { runId, shownIds }: { runId: string; shownIds: ReadonlyMap<unknown, string> },
  tell: (type: string, fields: JsonObject) => void,
): Promise<WholeAnswer> {
  const ids = new Map<unknown, string>();
  let answer: JsonObject | null = null;
  let failure: string | null = null;
  const reader = createEventReader(({ data }) => {
    const event = parsedObject(data);
    if (!event || typeof event.type !== 'string') return;
    const { type, sequence_number: _number, ...fields } = event;
    if (type === 'error') failure = messageOf(event);
    if (isObject(fields.response)) answer = fields.response;
    if (type === 'error' || ofResponse.test(type)) return;
    tell(type, renamed(fields, runId, { ids, shownIds }));
  }, MAX_EVENT);
  for await (const piece of body) {
    reader.feed(piece);
    if (failure !== null) throw new BrokenAnswer(failure);
  }
  return whole(answer);
}

function whole(answer: JsonObject | null): WholeAnswer {
  const status = answer?.status;
  if (status === 'completed' || status === 'incomplete') return answer as WholeAnswer;
  const error = answer?.error;
  throw new BrokenAnswer((isObject(error) && messageOf(error)) || 'The answer of the model broke off.');
}

const messageOf = ({ message, error }: JsonObject): string => {
  const said = message ?? (isObject(error) ? error.message : undefined);
  return typeof said === 'string' && said !== '' ? said : 'The answer of the model failed.';
};

/** Fields of an event with the ids of items as the gateway shows them. */
function renamed(
  fields: JsonObject,
  runId: string,
  { ids, shownIds }: { ids: Map<unknown, string>; shownIds: ReadonlyMap<unknown, string> },
): JsonObject {
  const { item, item_id: itemId, output_index: index } = fields;
  if (isObject(item) && typeof index === 'number') {
    const id = shownId(itemIdOf(runId, 'output', index), String(item.type));
    ids.set(item.id, id);
    return { ...fields, item: { ...withShownRequest(item, shownIds), id } };
  }
  return itemId === undefined ? fields : { ...fields, item_id: ids.get(itemId) ?? itemId };
}
