import { isObject } from '../../../lib/json.ts';
import { jsonAnswer } from '../../answer.ts';
import type { BaseUrl, Dialect, Provider } from '../../provider.ts';
import { UnreadableAnswer } from './answer/errors.ts';
import { refusalOf } from './answer/refusal.ts';
import { guarded, type SdkConnection } from './dialect.ts';
import { type Fields, isText, RequestProblem } from './fields.ts';
import { addedHeaders } from './signed-fetch.ts';

/** A model in OpenAI's list: `created` is in Unix seconds, 0 where the provider does not say. */
export type Model = { id: string; created: number };

/** Reads one page of a provider's JSON; what is no success is thrown with its status. */
export type Read = (url: string) => Promise<Fields>;

/** A provider lists its models on pages; more than these are not shown. */
export const MAX_PAGES = 20;

/** `GET /models` and `GET /models/{model}` of a provider that lists its models in a format of its own. */
export const modelsDialect = (
  vendor: { id: string; authorize: Provider['authorize'] },
  list: (read: Read, connection: SdkConnection) => Promise<Model[]>,
  furtherOrigins?: (base: BaseUrl) => string[],
): Dialect =>
  guarded(
    vendor,
    async ({ method, path, headers }, connection) => {
      if (method !== 'GET')
        throw new RequestProblem(`The provider ${vendor.id} lets nobody change its models.`);
      const found = await list((url) => readJson(connection, url, addedHeaders(headers)), connection);
      const models = found.map((model) => ({ ...model, object: 'model', owned_by: vendor.id }));
      if (path === '/models') return jsonAnswer({ value: { object: 'list', data: models } });
      const name = nameIn(path);
      const model = models.find(({ id }) => id === name);
      return model
        ? jsonAnswer({ value: model })
        : jsonAnswer({ status: 404, value: missing(name, vendor.id) });
    },
    furtherOrigins,
  );

/** The name as it was before it was put into a path. */
function nameIn(path: string): string {
  const name = path.slice('/models/'.length);
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}

const missing = (name: string, provider: string) => ({
  error: {
    message: `The model ${name.slice(0, 200)} does not exist.`,
    type: 'invalid_request_error',
    param: 'model',
    code: 'model_not_found',
  },
  provider,
});

async function readJson(
  { fetch }: SdkConnection,
  url: string,
  headers: Record<string, string>,
): Promise<Fields> {
  const answer = await fetch(url, { headers: { accept: 'application/json', ...headers } });
  if (!answer.ok) throw await refusalOf(answer, url);
  const text = await answer.text();
  try {
    const value: unknown = JSON.parse(text);
    if (isObject(value)) return value;
  } catch {
    // No JSON at all: said below.
  }
  throw new UnreadableAnswer('the list of models could not be read');
}

/** The objects in a list, whatever else is in it. */
export const entriesOf = (list: unknown): Fields[] => (Array.isArray(list) ? list.filter(isObject) : []);

/** Unix seconds of a date in text. */
export function secondsOf(date: unknown): number {
  const time = isText(date) ? Date.parse(date) : Number.NaN;
  return Number.isNaN(time) ? 0 : Math.floor(time / 1000);
}
