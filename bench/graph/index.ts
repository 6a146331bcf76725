// `npm run bench:graph -- <seconds a round>`: the graph and REST beside a plain Apollo Server and a bare HTTP handler
// that call the same services on the same database. Exits with 1 when a budget is missed.
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type LoadResult, load, type Request } from '../load.ts';
import { type Running, startHelper, startSluice } from '../processes.ts';
import { startServer } from '../store/server.ts';
import { seed } from './seed.ts';

const SECONDS = Number(process.argv[2] ?? 5);
const ROUNDS = 5;
const CONNECTIONS = 32;
const [SLUICE, PLAIN_GRAPH, BARE_REST] = [18090, 18091, 18092];

type Comparison = { name: string; request: Request; against: string; port: number; budget: number };
type Measured = { own: LoadResult[]; other: LoadResult[] };

const comparisons = (key: string, config: string): Comparison[] => {
  const headers = { 'x-gateway-api-key': key };
  const graph = { against: 'plain Apollo Server', port: PLAIN_GRAPH, budget: 0.9 };
  const query = (text: string, variables: object) => ({
    path: '/graphql',
    headers,
    body: JSON.stringify({ query: text, variables }),
  });
  return [
    {
      name: 'GraphQL, one resource',
      request: query(
        'query ($id: ID!) { config(id: $id) { id slug name status config createdAt lastUpdatedAt } }',
        { id: config },
      ),
      ...graph,
    },
    {
      name: 'GraphQL, 20 items over three subgraphs',
      request: query(
        `query ($size: Int!) {
          logs(pageSize: $size) {
            data { id createdAt responseStatusCode config { slug name workspace { slug name } } }
          }
        }`,
        { size: 20 },
      ),
      ...graph,
    },
    {
      name: 'REST, one resource',
      request: { method: 'GET', path: `/v1/configs/${config}`, headers, body: '' },
      against: 'bare node:http handler',
      port: BARE_REST,
      budget: 0.5,
    },
  ];
};

async function answerOf(port: number, { method = 'POST', path, headers, body }: Request): Promise<unknown> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body !== '' && { body }),
  });
  return response.json();
}

/** A comparison means something only if both sides say the same, and say something. */
async function requireSameAnswers({ name, request, port }: Comparison): Promise<void> {
  const [own, other] = [await answerOf(SLUICE, request), await answerOf(port, request)];
  const isData = typeof own === 'object' && own !== null && !('errors' in own) && !('error' in own);
  if (isData && isDeepStrictEqual(own, other)) return;
  throw new Error(`${name}: the answers differ.\n${JSON.stringify(own)}\n${JSON.stringify(other)}`);
}

async function measure({ request, port }: Comparison): Promise<Measured> {
  const run = (to: number, seconds = SECONDS) => load(to, request, { connections: CONNECTIONS, seconds });
  // Both are compiled as they run, and for long; what counts is a service that has been up.
  for (const to of [SLUICE, port]) await run(to, 2 * SECONDS);
  const measured: Measured = { own: [], other: [] };
  for (let round = 0; round < ROUNDS; round++) {
    measured.other.push(await run(port));
    measured.own.push(await run(SLUICE));
  }
  return measured;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;

/** Prints the row of a comparison; answers whether its budget is met. */
function report({ name, against, budget }: Comparison, { own, other }: Measured): boolean {
  const rate = (rounds: LoadResult[]) => median(rounds.map(({ perSecond }) => perSecond));
  const p50 = (rounds: LoadResult[]) => median(rounds.map((round) => round.p50)).toFixed(2);
  const failures = [...own, ...other].reduce((sum, round) => sum + round.failures, 0);
  const ratio = rate(own) / rate(other);
  const isMet = ratio >= budget && failures === 0;
  console.log(
    `| ${name} | ${Math.round(rate(own))} | ${p50(own)} | ${against} | ${Math.round(rate(other))} | ${p50(other)} | ${ratio.toFixed(2)} | ${budget} | ${failures} | ${isMet ? 'yes' : 'no'} |`,
  );
  return isMet;
}

async function main(): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'sluice-bench-graph-'));
  const running: Pick<Running, 'stop'>[] = [];
  try {
    const store = await startServer(join(directory, 'store'));
    running.push(store);
    // One database and one master key for all, so that they give the same answers to the same keys.
    Object.assign(process.env, {
      MONGODB_URI: store.uri,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      DATA_DIR: join(directory, 'plain'),
    });
    const sluice = await startSluice(SLUICE);
    running.push(sluice);
    const { config } = await seed(sluice);
    running.push(await startHelper('graph/plain.ts', PLAIN_GRAPH, BARE_REST));

    const all = comparisons(sluice.adminKey, config);
    for (const comparison of all) await requireSameAnswers(comparison);
    console.log(`${CONNECTIONS} connections, medians of ${ROUNDS} rounds of ${SECONDS} s each, in turn.\n`);
    console.log('| what | Sluice/s | p50 ms | against | its/s | p50 ms | ratio | budget | failures | met |');
    console.log('|---|--:|--:|---|--:|--:|--:|--:|--:|---|');
    for (const comparison of all) {
      if (!report(comparison, await measure(comparison))) process.exitCode = 1;
    }
  } finally {
    for (const process of running.reverse()) await process.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

await main();
