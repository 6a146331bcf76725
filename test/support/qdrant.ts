import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

type Sparse = { indices: number[]; values: number[] };
type Point = { id: string; vector: { dense: number[]; words: Sparse }; payload: Record<string, unknown> };
type Condition = { key: string; match?: { value?: unknown; any?: unknown[] }; range?: { lt?: number } };
type Filter = { must: Condition[] };
type Stored = { size: number; points: Map<string, Point> };

/** What this stand-in for a Qdrant refuses, in the form of Qdrant. */
class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

const holds = ({ key, match, range }: Condition, { payload }: Point): boolean => {
  const value = payload[key];
  if (match?.any) return match.any.includes(value);
  if (match) return value === match.value;
  if (range?.lt !== undefined) return typeof value === 'number' && value < range.lt;
  throw new Refusal(400, `Format error in JSON body: unknown condition on ${key}`);
};
const matching = ({ points }: Stored, { must }: Filter) =>
  [...points.values()].filter((point) => must.every((condition) => holds(condition, point)));

function cosine(one: number[], other: number[]): number {
  const product = (a: number[], b: number[]) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0);
  const length = Math.sqrt(product(one, one) * product(other, other));
  return length === 0 ? 0 : product(one, other) / length;
}

/** Dot product of sparse vectors, each word weighed by how few points of the whole collection have it. */
function weighed({ points }: Stored, query: Sparse, { vector }: Point): number {
  return query.indices.reduce((sum, index, at) => {
    const place = vector.words.indices.indexOf(index);
    if (place < 0) return sum;
    const having = [...points.values()].filter((point) => point.vector.words.indices.includes(index)).length;
    const idf = Math.log(1 + (points.size - having + 0.5) / (having + 0.5));
    return sum + idf * (query.values[at] ?? 0) * (vector.words.values[place] ?? 0);
  }, 0);
}

/** The part of Qdrant's REST API that the gateway uses, as its documentation describes it, in memory. */
export async function startQdrant(apiKey: string) {
  const collections = new Map<string, Stored>();
  const asked: { path: string; body: any }[] = [];
  const trouble: { status: number | null; delayMs: number } = { status: null, delayMs: 0 };

  const of = (name: string): Stored => {
    const found = collections.get(name);
    if (!found) throw new Refusal(404, `Not found: Collection \`${name}\` doesn't exist!`);
    return found;
  };

  function upsert(name: string, points: Point[]): void {
    const stored = of(name);
    for (const point of points) {
      if (!UUID.test(point.id)) throw new Refusal(400, `value ${point.id} is not a valid point ID`);
      const { dense, words } = point.vector;
      if (dense.length !== stored.size) {
        const message = `Wrong input: Vector dimension error: expected dim: ${stored.size}, got ${dense.length}`;
        throw new Refusal(400, message);
      }
      if (new Set(words.indices).size !== words.indices.length)
        throw new Refusal(422, 'Validation error: indices must be unique');
    }
    for (const point of points) stored.points.set(point.id, point);
  }

  function search(name: string, { query, using, filter, limit }: any) {
    const stored = of(name);
    const scoreOf = (point: Point) =>
      using === 'dense' ? cosine(query, point.vector.dense) : weighed(stored, query, point);
    const scored = matching(stored, filter)
      .map((point) => ({ id: point.id, version: 1, score: scoreOf(point), payload: point.payload }))
      // A sparse search knows only points that have one of its words.
      .filter(({ score }) => using === 'dense' || score > 0);
    return { points: scored.sort((one, other) => other.score - one.score).slice(0, limit) };
  }

  function scroll(name: string, { filter, limit, offset }: any) {
    const found = matching(of(name), filter).sort((one, other) => (one.id < other.id ? -1 : 1));
    const from = offset === undefined ? 0 : found.findIndex(({ id }) => id >= offset);
    const points = from < 0 ? [] : found.slice(from, from + limit);
    const next = from < 0 ? undefined : found[from + limit];
    return { points: points.map(({ id, payload }) => ({ id, payload })), next_page_offset: next?.id ?? null };
  }

  function facet(name: string, { key, limit }: any) {
    const counts = new Map<unknown, number>();
    for (const { payload } of of(name).points.values())
      counts.set(payload[key], (counts.get(payload[key]) ?? 0) + 1);
    return { hits: [...counts].slice(0, limit).map(([value, count]) => ({ value, count })) };
  }

  function create(name: string, body: any) {
    if (collections.has(name)) throw new Refusal(409, `Wrong input: Collection \`${name}\` already exists!`);
    collections.set(name, { size: body.vectors.dense.size, points: new Map() });
    return true;
  }

  function answer(method: string, path: string, body: any): unknown {
    const [, , name = '', ...rest] = path.split('/');
    const what = `${method} ${rest.join('/')}`;
    if (path === '/collections')
      return { collections: [...collections.keys()].map((each) => ({ name: each })) };
    if (what === 'GET exists') return { exists: collections.has(name) };
    if (what === 'PUT ') return create(name, body);
    if (what === 'PUT index') return of(name) && { operation_id: 1, status: 'completed' };
    if (what === 'PUT points') return upsert(name, body.points) ?? { operation_id: 1, status: 'completed' };
    if (what === 'POST points/query/batch') return body.searches.map((each: any) => search(name, each));
    if (what === 'POST points/scroll') return scroll(name, body);
    if (what === 'POST facet') return facet(name, body);
    if (what === 'POST points/delete') {
      for (const { id } of matching(of(name), body.filter)) of(name).points.delete(id);
      return { operation_id: 1, status: 'completed' };
    }
    throw new Refusal(404, '');
  }

  const send = (response: ServerResponse, status: number, body: object) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request.setEncoding('utf8')) text += chunk;
    const { pathname: path } = new URL(request.url ?? '', 'http://qdrant');
    const body = text === '' ? null : JSON.parse(text);
    if (request.headers['api-key'] !== apiKey)
      return send(response, 401, { status: { error: 'Must provide an API key' } });
    if (trouble.delayMs > 0) await sleep(trouble.delayMs);
    if (trouble.status !== null)
      return send(response, trouble.status, { status: { error: 'Service overloaded' } });
    asked.push({ path, body });
    try {
      send(response, 200, { result: answer(request.method ?? '', path, body), status: 'ok', time: 0.001 });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      send(response, error.status, { status: { error: error.message }, time: 0.001 });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    collections,
    asked,
    trouble,
    points: (): Point[] => [...collections.values()].flatMap(({ points }) => [...points.values()]),
    async stop(): Promise<void> {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
