import { GatewayError, invalidInput } from '../../../errors/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { KeptItem } from '../../../runs/items.ts';
import { documentIdOf, itemShape, shownId } from '../../../runs/responses/record.ts';
import { responseShape } from '../../../runs/responses/shape.ts';
import { isResponse, type ResponseRun } from '../../../runs/run.ts';
import type { GraphContext } from '../../context.ts';
import { findCursorPage } from '../../cursor-page.ts';
import { requireReader, requireWriter, visible } from '../caller.ts';
import { keptItemModel } from '../thread-message/index.ts';
import { getResponse, shownResponse } from './find.ts';
import { removeResponse } from './remove.ts';

export const readResponse = async (context: GraphContext, id: string): Promise<JsonObject> =>
  shownResponse(context, await getResponse(context, id));

export async function deleteResponse(context: GraphContext, id: string): Promise<JsonObject> {
  requireWriter(context);
  const run = await getResponse(context, id);
  await removeResponse(context, run);
  return { id, object: 'response', deleted: true };
}

/** Stops a response that nobody waits for; one that has ended stays as it is. */
export async function cancelResponse(context: GraphContext, id: string): Promise<JsonObject> {
  requireWriter(context);
  const run = await getResponse(context, id);
  if (!run.response.isBackground) {
    throw new GatewayError('VALIDATION_FAILED', {
      message: 'Only responses that were made with background=true can be cancelled: leave the others.',
      param: 'response_id',
    });
  }
  if (!run.active || run.status === 'cancelling') return shownResponse(context, run);
  const cancelled = await context.runs.cancel(run).catch(async (error: unknown) => {
    // It may have ended meanwhile.
    const now = await getResponse(context, id);
    if (now.active) throw error;
    return now;
  });
  return isResponse(cancelled) && cancelled.active
    ? responseShape(cancelled, [])
    : shownResponse(context, cancelled as ResponseRun);
}

export type ItemListArguments = { limit: number; order: 'asc' | 'desc'; after?: string | null };

/** The arguments of a list of items, as a query has them. */
export function itemListArguments(query: Record<string, string | undefined>): ItemListArguments {
  const limit = query.limit === undefined ? 20 : Number(query.limit);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw invalidInput('limit', 'limit must be a whole number from 1 to 100.');
  const { order = 'desc', after } = query;
  if (order !== 'asc' && order !== 'desc') throw invalidInput('order', 'order must be asc or desc.');
  return { limit, order, after };
}

/** A part of a list of items that `filter` describes. */
export async function listItems(
  context: GraphContext,
  filter: { threadId: string } | { runId: string; isInput: true },
  { limit, order, after }: ItemListArguments,
): Promise<JsonObject> {
  const tenant = visible(requireReader(context));
  const page = await findCursorPage(
    keptItemModel(context.db),
    { ...filter, kind: 'item', ...tenant },
    {},
    { limit, order, after: after === undefined || after === null ? after : documentIdOf(after) },
  );
  const items = page.data;
  const idOf = (item: KeptItem | undefined) => (item ? shownId(item._id, item.type) : null);
  return {
    object: 'list',
    data: items.map(itemShape),
    first_id: idOf(items[0]),
    last_id: idOf(items.at(-1)),
    has_more: page.hasMore,
  };
}

export async function listInputItems(
  context: GraphContext,
  id: string,
  args: ItemListArguments,
): Promise<JsonObject> {
  const { _id: runId } = await getResponse(context, id);
  return listItems(context, { runId, isInput: true }, args);
}

/** The events of a response that was streamed in the background, behind the event of a number. */
export async function followResponse(
  context: GraphContext,
  id: string,
  startingAfter: string | undefined,
): Promise<AsyncIterable<{ event: string; data: unknown }>> {
  const run = await getResponse(context, id);
  const after = startingAfter === undefined ? -1 : Number(startingAfter);
  if (!Number.isInteger(after) || after < -1)
    throw invalidInput('starting_after', 'starting_after must be the sequence_number of an event.');
  if (!run.isLogged)
    throw invalidInput(
      'stream',
      'Only responses that were made with background=true and stream=true can be streamed again.',
    );
  return eventsBehind(context, run, after);
}

async function* eventsBehind(
  context: GraphContext,
  run: ResponseRun,
  after: number,
): AsyncGenerator<{ event: string; data: unknown }> {
  let last = after;
  for await (const { event, data } of context.runs.follow(run, null)) {
    if (event === 'done' || event === 'refused') continue;
    // Its events are not kept any more: what has become of it is told.
    if (event.startsWith('thread.run.')) {
      const response = await readResponse(context, run._id);
      const type = `response.${String(response.status)}`;
      yield { event: type, data: { type, sequence_number: ++last, response } };
    } else {
      const number = isObject(data) ? data.sequence_number : undefined;
      if (typeof number === 'number' && number <= after) continue;
      if (typeof number === 'number') last = number;
      yield { event, data };
    }
  }
}
