import { isObject } from '../../../lib/json.ts';
import type { Dialect } from '../../provider.ts';
import { ask, isSuccess, jsonAnswer, type Manner, parsed, whole } from './ask.ts';

/** Bytes of a list of models. */
const MAX_LIST = 8 * 1024 * 1024;

type Json = Record<string, unknown>;

/**
 * The provider's own list in the shape of OpenAI's (spec/data-plane.md, section 10.3), for those that answer a bare array
 * or leave members out. What they say beyond it stays; errors, one model and its deletion pass as they are.
 */
export const modelList =
  (provider: string, manner: Manner): Dialect =>
  async (request) => {
    const answer = await ask(request, request.path, request.query, manner);
    if (request.path !== '/models' || !isSuccess(answer)) return answer;
    const bytes = await whole(answer, MAX_LIST);
    const list = parsed(bytes);
    const items = Array.isArray(list) ? list : isObject(list) ? (list.data ?? list.models) : undefined;
    if (!Array.isArray(items)) return { ...answer, body: bytes };
    return jsonAnswer(answer.status, answer.headers, {
      ...(isObject(list) && list),
      object: 'list',
      data: items.flatMap((item) => modelOf(item, provider)),
    });
  };

function modelOf(item: unknown, provider: string): Json[] {
  if (typeof item === 'string') return modelOf({ id: item }, provider);
  if (!isObject(item)) return [];
  const id = item.id ?? item.name;
  if (typeof id !== 'string') return [];
  return [
    {
      ...item,
      id,
      object: 'model',
      created: typeof item.created === 'number' ? item.created : 0,
      owned_by: typeof item.owned_by === 'string' ? item.owned_by : provider,
    },
  ];
}
