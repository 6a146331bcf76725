import type { JsonObject } from '../../lib/json.ts';
import { turnId } from '../ids.ts';
import type { ItemCommon, KeptItem } from '../items.ts';

/** How long a response may take, in milliseconds: one that nobody waits for may take longer. */
export const RESPONSE_TIME_MS = { waitedFor: 600_000, inBackground: 3_600_000 };

/** An item as the API shows it; its type says what else it has. */
export type ResponseItem = Record<string, unknown> & { type: string };

/** What ids of items begin with, by their types. */
const prefixes: Record<string, string> = {
  message: 'msg',
  reasoning: 'rs',
  function_call: 'fc',
  function_call_output: 'fc',
};

const DOCUMENT = 'item';

/** The id under which an item is shown: its type stands before what tells it from others. */
export const shownId = (documentId: string, type: string): string =>
  `${prefixes[type] ?? 'item'}${documentId.slice(DOCUMENT.length)}`;

/** The id of the document of an item, from the one under which it is shown. */
export const documentIdOf = (id: string): string => `${DOCUMENT}${id.slice(id.indexOf('_'))}`;

/** Places of the input come before those of the output. */
const turnOf = { input: 0, output: 8 };

export const itemIdOf = (runId: string, side: keyof typeof turnOf, place: number): string =>
  turnId(DOCUMENT, runId.slice(runId.indexOf('_') + 1), turnOf[side], place);

type NewItem = { _id: string; item: ResponseItem; isInput: boolean };

/** An item as it is stored; the id that it came with is what its provider knows it by. */
export function keptItem(
  { _id, item, isInput }: NewItem,
  common: Omit<ItemCommon, '_id' | 'turn' | 'finish'>,
): KeptItem {
  const { id, ...rest } = item;
  return {
    ...common,
    _id,
    kind: 'item',
    turn: 0,
    finish: null,
    isInput,
    providerId: typeof id === 'string' ? id : null,
    type: item.type,
    item: JSON.stringify(rest),
  };
}

/** An item that names an earlier one, by the id under which that is shown. */
export function withShownRequest<T extends JsonObject>(item: T, shownIds: ReadonlyMap<unknown, string>): T {
  const id = shownIds.get(item.approval_request_id);
  return id === undefined ? item : { ...item, approval_request_id: id };
}

/** An item as the API shows it. */
export const itemShape = ({ _id, item, type }: KeptItem): ResponseItem => ({
  id: shownId(_id, type),
  type,
  ...(JSON.parse(item) as object),
});

/** An item as its provider wrote it, or its caller. */
export const givenItem = ({ item, type, providerId }: KeptItem): ResponseItem => ({
  type,
  ...(providerId !== null && { id: providerId }),
  ...(JSON.parse(item) as object),
});
