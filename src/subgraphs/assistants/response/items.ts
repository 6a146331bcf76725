import { invalidInput } from '../../../errors/index.ts';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import type { ResponseItem } from '../../../runs/responses/record.ts';

/** An item as a caller gives it, with what may be left out. */
export type GivenItem = ResponseItem;

/** Items that one request may bring. */
const MAX_ITEMS = 10_000;

/** Reads the input of a response, or the items of a conversation: a text is a message of the user. */
export function givenItems(input: unknown, param: string, most = MAX_ITEMS): GivenItem[] {
  if (input === undefined || input === null) return [];
  if (typeof input === 'string') return [messageOf({ role: 'user', content: input })];
  if (!Array.isArray(input)) throw invalidInput(param, `${param} must be a text or a list of items.`);
  if (input.length > most) throw invalidInput(param, `${param} must have at most ${most} items.`);
  return input.map((item, index) => itemOf(item, `${param}[${index}]`));
}

function itemOf(item: unknown, param: string): GivenItem {
  if (!isObject(item)) throw invalidInput(param, `${param} must be an object.`);
  const type = item.type ?? 'message';
  if (typeof type !== 'string' || !/^[a-z_]{1,64}$/.test(type))
    throw invalidInput(`${param}.type`, `${param}.type must be the name of a type, such as message.`);
  if (type === 'item_reference')
    throw invalidInput(`${param}.type`, `${param}.type must not be item_reference: send the item itself.`);
  return type === 'message' ? messageOf(item) : { ...item, type };
}

/** A message with its content as parts, as it is shown. */
function messageOf({ content, ...item }: JsonObject): GivenItem {
  if (typeof content !== 'string') return { ...item, type: 'message', content };
  const part =
    item.role === 'assistant'
      ? { type: 'output_text', text: content, annotations: [] }
      : { type: 'input_text', text: content };
  return { status: 'completed', ...item, type: 'message', content: [part] };
}
