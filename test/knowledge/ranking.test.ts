import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import OpenAI, { toFile } from 'openai';
import { fused } from '../../src/knowledge/index/fuse.ts';
import { chatAnswer, json, type Script } from '../support/provider.ts';
import { startWorld, type World } from '../support/world.ts';

let world: World;
let client: OpenAI;
let store: string;

beforeAll(async () => {
  world = await startWorld({
    VECTOR_STORE_RERANK_MODEL: '@loop-1/judge',
    VECTOR_STORE_REWRITE_MODEL: '@loop-1/writer',
  });
  client = new OpenAI({ apiKey: world.app.workspaceKey, baseURL: `${world.app.url}/v1`, maxRetries: 0 });
  store = (await client.vectorStores.create({ name: 'Birds' })).id;
  for (const [name, content] of Object.entries(files))
    await client.vectorStores.files.uploadAndPoll(store, await toFile(Buffer.from(content), name), {
      pollIntervalMs: 50,
    });
});
afterAll(() => world.stop());

const files = {
  'herons.txt': 'Herons nest high in old trees.',
  'herons-at-dawn.txt': 'Herons fish at dawn, and herons nest at night.',
  'bread.txt': 'Bread rises for twelve hours. No herons here.',
};

type Place = { index: number; relevance_score: number };

/** A model that likes bread, whatever is asked; its answer has the form of a provider. */
const judge =
  (form: (places: Place[]) => unknown = (results) => ({ results })): Script =>
  (request, response, raw) => {
    const { documents } = JSON.parse(request.body.toString()) as { documents: string[] };
    const places = documents.map((text, index) => ({
      index,
      relevance_score: text.startsWith('Bread') ? 0.9 : 0.2,
    }));
    return json(200, form(places))(request, response, raw);
  };

const search = async (ranking_options: object, more: object = {}) => {
  const asked = { query: 'herons nest', ranking_options, ...more } as OpenAI.VectorStoreSearchParams;
  const page = await client.vectorStores.search(store, asked);
  return page.data.map(({ filename, score }) => [filename, score]);
};
const lastAsked = () => {
  const last = world.provider.requests.at(-1);
  return { url: last?.url, ...JSON.parse(last?.body.toString() ?? '{}') };
};

describe('a rerank model', () => {
  it.each<[string, object, string, (places: Place[]) => unknown]>([
    ['by the setting, for auto', { ranker: 'auto' }, 'judge', (results) => ({ results })],
    ['by the setting, where no ranker is named', {}, 'judge', (data) => ({ object: 'list', data })],
    [
      'by the name of a request',
      { ranker: '@loop-1/other' },
      'other',
      (results) => ({ results: results.reverse() }),
    ],
  ])('ranks what was found: %s', async (_by, options, model, form) => {
    world.provider.play(judge(form));
    const found = await search(options);
    expect(found).toEqual([['bread.txt', 0.9], expect.anything(), expect.anything()]);
    const asked = lastAsked();
    expect(asked).toMatchObject({ url: expect.stringMatching(/\/rerank$/), model, query: 'herons nest' });
    expect([...asked.documents].sort()).toEqual(Object.values(files).sort());
  });

  it('has the threshold and the number of results hold for its scores', async () => {
    world.provider.play(judge());
    expect(await search({ score_threshold: 0.5 })).toEqual([['bread.txt', 0.9]]);
    expect(await search({}, { max_num_results: 1 })).toEqual([['bread.txt', 0.9]]);
  });

  it.each(['none', 'default-2024-11-15', 'default_2024_08_21'])('is not asked for %s', async (ranker) => {
    const before = world.provider.requests.length;
    expect((await search({ ranker }))[0]?.[0]).toMatch(/^herons/);
    expect(world.provider.requests).toHaveLength(before);
  });

  it.each<[string, number, Script]>([
    ['The rerank model answered 404', 400, json(404, { error: { message: 'no such model' } })],
    ['The rerank model answered 503', 503, json(503, { error: { message: 'busy' } })],
    ['did not answer a score for each text', 400, judge((results) => ({ results: results.slice(1) }))],
    ['did not answer a score for each text', 400, json(200, 'nothing')],
  ])('that refuses is told: %s, with %i', async (problem, status, script) => {
    world.provider.play(script);
    await expect(search({})).rejects.toMatchObject({ status, message: expect.stringContaining(problem) });
  });

  it('ranks for the tool of an assistant, which shows its name', async () => {
    world.provider.play(judge());
    const ranking_options = { ranker: '@loop-1/other', score_threshold: 0.5 };
    const { id: assistant_id } = await client.beta.assistants.create({
      model: '@mock/mock-1',
      tools: [{ type: 'file_search', file_search: { ranking_options } } as never],
      tool_resources: { file_search: { vector_store_ids: [store] } },
    });
    const thread = { messages: [{ role: 'user' as const, content: '/search herons nest' }] };
    const run = await client.beta.threads.createAndRunPoll({ assistant_id, thread }, { pollIntervalMs: 50 });
    const { data } = await client.beta.threads.runs.steps.list(run.id, { thread_id: run.thread_id });
    const details = data.find(({ type }) => type === 'tool_calls')?.step_details as any;
    expect(details.tool_calls[0].file_search).toMatchObject({
      ranking_options,
      results: [{ file_name: 'bread.txt', score: 0.9 }],
    });
  });
});

describe('the options of a ranking', () => {
  it.each<[string, object, RegExp]>([
    ['ranking_options.ranker', { ranker: 'best' }, /auto, none, .* or a rerank model as calls name it/],
    ['ranking_options.ranker', { ranker: 'constructor' }, /auto, none/],
    [
      'ranking_options.hybrid_search',
      { hybrid_search: { embedding_weight: 0, text_weight: 0 } },
      /weight above 0/,
    ],
    ['ranking_options.hybrid_search.text_weight', { hybrid_search: { embedding_weight: 1 } }, /text_weight/],
  ])('are refused where nothing has them: %s', async (param, options, message) => {
    await expect(search(options)).rejects.toMatchObject({
      status: 400,
      param,
      message: expect.stringMatching(message),
    });
  });

  it('weigh words and vectors', async () => {
    const rankings = [
      { by: 'vectors' as const, chunks: [1, 2] },
      { by: 'words' as const, chunks: [2, 3] },
    ];
    const chunksBy = (vectors: number, words: number) =>
      fused(rankings, { vectors, words }).map(({ chunk }) => chunk);
    expect([chunksBy(1, 1), chunksBy(1, 0), chunksBy(0, 1)]).toEqual([
      [2, 1, 3],
      [1, 2],
      [2, 3],
    ]);
    const ranker = 'default-2024-11-15';
    const found = async (embedding_weight: number, text_weight: number) =>
      (await search({ ranker, hybrid_search: { embedding_weight, text_weight } }, { query: 'heronry' }))
        .length;
    // No text has the word, and some have parts of it.
    expect(await found(0, 1)).toBe(0);
    expect(await found(1, 1)).toBeGreaterThan(0);
  });
});

describe('the rewriting of a query', () => {
  const rewrite = async (query: string) => {
    const body = { query, rewrite_query: true, ranking_options: { ranker: 'default-2024-11-15' } };
    return client.post<{ search_query: string[]; data: { filename: string }[] }>(
      `/vector_stores/${store}/search`,
      { body },
    );
  };

  it('asks the model of the setting, and searches for what it answers', async () => {
    world.provider.play(json(200, chatAnswer(' bread hours ')));
    const page = await rewrite('Please tell me, dear gateway: how long does it rise?');
    expect(page.search_query).toEqual(['bread hours']);
    expect(page.data[0]?.filename).toBe('bread.txt');
    expect(lastAsked()).toMatchObject({
      url: expect.stringMatching(/\/chat\/completions$/),
      model: 'writer',
    });
  });

  it('is told where that model refuses', async () => {
    world.provider.play(json(200, { choices: [] }));
    await expect(rewrite('herons')).rejects.toMatchObject({ status: 400 });
  });
});
