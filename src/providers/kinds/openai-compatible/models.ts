import { isObject } from '../../../lib/json.ts';
import { jsonAnswer } from '../../answer.ts';
import type { Dialect } from '../../provider.ts';
import { ask, isSuccess, type Manner, parsed, whole } from './ask.ts';

/** Bytes of a list of models. */
const MAX_LIST = 8 * 1024 * 1024;

type Json = Record<string, unknown>;

/**
 * The provider's own list of models in the shape of OpenAI's, for providers that answer a bare array or leave members out.
 * Further members stay; errors, a single model and its deletion pass as they are.
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
    const data = items.flatMap((item) => modelOf(item, provider));
    const { status, headers } = answer;
    return jsonAnswer({ status, headers, value: { ...(isObject(list) && list), object: 'list', data } });
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
