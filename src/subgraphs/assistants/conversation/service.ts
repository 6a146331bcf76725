import { isKeptId, KEPT_CONVERSATION } from '../../../dataplane/keeping/kept-ids.ts';
import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { randomId, timeOrderedId } from '../../../runs/ids.ts';
import type { KeptItem } from '../../../runs/items.ts';
import { documentIdOf, itemShape, keptItem, shownId } from '../../../runs/responses/record.ts';
import type { GraphContext } from '../../context.ts';
import { requireReader, requireWriter, visible } from '../caller.ts';
import { metadataOf } from '../members/index.ts';
import { givenItems, type ItemListArguments, listItems } from '../response/index.ts';
import { type ThreadDocument, threadModel } from '../thread/index.ts';
import { keptItemModel } from '../thread-message/index.ts';

/** Items that one request may add. */
const MAX_ITEMS = 20;
/** Items of a conversation at most. */
const MAX_IN_ALL = 100_000;

const shapeOf = ({ _id, createdAt, metadata }: ThreadDocument): JsonObject => ({
  id: _id,
  object: 'conversation',
  created_at: Math.floor(createdAt.getTime() / 1000),
  metadata,
});

const unknown = (id: string) =>
  new GatewayError('NOT_FOUND', {
    message: `Conversation with id '${id.slice(0, 100)}' not found.`,
    param: 'conversation_id',
  });

const unknownItem = (id: string) =>
  new GatewayError('NOT_FOUND', {
    message: `Item with id '${id.slice(0, 100)}' not found.`,
    param: 'item_id',
  });

/** A body that may be absent. */
function membersOf(body: unknown, known: readonly string[]): JsonObject {
  if (body === undefined || body === null) return {};
  if (!isObject(body)) throw invalidInput('body', 'The body must be a JSON object.');
  const other = Object.keys(body).find((name) => !known.includes(name));
  if (other !== undefined)
    throw invalidInput(other.slice(0, 100), `There is no member ${other.slice(0, 100)}.`);
  return body;
}

async function getConversation(context: GraphContext, id: string): Promise<ThreadDocument> {
  const tenant = visible(requireReader(context));
  const found = isKeptId(id)
    ? await threadModel(context.db)
        .findOne({ _id: id, ...tenant })
        .lean<ThreadDocument>()
    : null;
  if (!found) throw unknown(id);
  return found;
}

/** Makes a conversation with the items that it begins with. */
export async function createConversation(context: GraphContext, body: unknown): Promise<JsonObject> {
  const owner = requireWriter(context);
  const { items, metadata } = membersOf(body, ['items', 'metadata']);
  const createdAt = context.now();
  const conversation: ThreadDocument = {
    _id: randomId(KEPT_CONVERSATION),
    ...owner,
    toolResources: {},
    metadata: metadataOf(metadata, 'metadata'),
    createdAt,
    lastUpdatedAt: createdAt,
  };
  await storeItems(context, conversation, items);
  await threadModel(context.db).collection.insertOne(conversation as never);
  return shapeOf(conversation);
}

export const readConversation = async (context: GraphContext, id: string): Promise<JsonObject> =>
  shapeOf(await getConversation(context, id));

export async function updateConversation(
  context: GraphContext,
  id: string,
  body: unknown,
): Promise<JsonObject> {
  const owner = requireWriter(context);
  await getConversation(context, id);
  const metadata = metadataOf(membersOf(body, ['metadata']).metadata, 'metadata');
  const updated = await threadModel(context.db)
    .findOneAndUpdate({ _id: id, ...owner }, { metadata }, { returnDocument: 'after' })
    .lean<ThreadDocument>();
  if (!updated) throw unknown(id);
  return shapeOf(updated);
}

/** The conversation goes first: from then on nobody finds what is left of it. */
export async function deleteConversation(context: GraphContext, id: string): Promise<JsonObject> {
  const owner = requireWriter(context);
  await getConversation(context, id);
  const { deletedCount } = await threadModel(context.db).deleteOne({ _id: id, ...owner });
  if (deletedCount === 0) throw unknown(id);
  await context.runs.forgetThread(id);
  await keptItemModel(context.db).deleteMany({ threadId: id, ...owner });
  return { id, object: 'conversation.deleted', deleted: true };
}

async function storeItems(
  context: GraphContext,
  { _id: threadId, organisationId, workspaceId }: ThreadDocument,
  given: unknown,
): Promise<KeptItem[]> {
  if (given !== undefined && given !== null && !Array.isArray(given))
    throw invalidInput('items', 'items must be a list.');
  const common = { organisationId, workspaceId, threadId, runId: null, fence: 0, createdAt: context.now() };
  const items = givenItems(given, 'items', MAX_ITEMS).map((item) =>
    keptItem({ _id: timeOrderedId('item'), item, isInput: true }, common),
  );
  if (items.length > 0) await keptItemModel(context.db).collection.insertMany(items as never);
  return items;
}

export async function addItems(context: GraphContext, id: string, body: unknown): Promise<JsonObject> {
  const owner = requireWriter(context);
  const conversation = await getConversation(context, id);
  const { items } = membersOf(body, ['items']);
  if (!Array.isArray(items) || items.length === 0)
    throw invalidInput('items', `items must be a list of 1 to ${MAX_ITEMS} items.`);
  await requireIdle(context, id);
  const count = await keptItemModel(context.db).countDocuments(
    { threadId: id, kind: 'item', ...owner },
    { limit: MAX_IN_ALL },
  );
  if (count + items.length > MAX_IN_ALL)
    throw invalidInput('items', `A conversation has at most ${MAX_IN_ALL} items.`);
  const stored = await storeItems(context, conversation, items);
  const idOf = (item: KeptItem | undefined) => (item ? shownId(item._id, item.type) : null);
  return {
    object: 'list',
    data: stored.map(itemShape),
    first_id: idOf(stored[0]),
    last_id: idOf(stored.at(-1)),
    has_more: false,
  };
}

export async function listConversationItems(
  context: GraphContext,
  id: string,
  args: ItemListArguments,
): Promise<JsonObject> {
  await getConversation(context, id);
  return listItems(context, { threadId: id }, args);
}

type ItemPlace = { id: string; itemId: string };

export async function getItem(context: GraphContext, { id, itemId }: ItemPlace): Promise<JsonObject> {
  await getConversation(context, id);
  const tenant = visible(requireReader(context));
  const found = await keptItemModel(context.db)
    .findOne({ _id: documentIdOf(itemId), threadId: id, kind: 'item', ...tenant })
    .lean<KeptItem>();
  if (!found) throw unknownItem(itemId);
  return itemShape(found);
}

/** Answers the conversation. */
export async function deleteItem(context: GraphContext, { id, itemId }: ItemPlace): Promise<JsonObject> {
  const owner = requireWriter(context);
  const conversation = await getConversation(context, id);
  await requireIdle(context, id);
  const { deletedCount } = await keptItemModel(context.db).deleteOne({
    _id: documentIdOf(itemId),
    threadId: id,
    kind: 'item',
    ...owner,
  });
  if (deletedCount === 0) throw unknownItem(itemId);
  return shapeOf(conversation);
}

/** Throws where a response is being made: what it is asked must stay as it is. */
async function requireIdle(context: GraphContext, id: string): Promise<void> {
  if (!(await context.runs.activeRun(id))) return;
  throw new GatewayError('IN_PROGRESS', {
    message: `The conversation ${id} is in use by a response that has not ended yet.`,
    reason: 'conversation_locked',
  });
}
