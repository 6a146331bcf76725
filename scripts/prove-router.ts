// Lets a router made by others, Hive Gateway from npm, join our subgraphs over HTTP, and requires the answers that Sluice
// itself gives to the same queries: the same data, and the same error codes at the same places.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { subgraphs } from '../src/subgraphs/index.ts';
import { startProcess } from '../test/support/process.ts';
import { startHiveGateway } from './prove-router/hive-gateway.ts';
import { type Answer, ask, createWorld } from './prove-router/world.ts';

const secret = randomBytes(24).toString('hex');
const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-router-'));
const sluice = await startProcess(directory, { SUBGRAPH_SECRET: secret });
let failures = 0;

try {
  const router = await startHiveGateway(await supergraph(), secret);
  const bootstrap = JSON.parse(await readFile(join(directory, 'bootstrap.json'), 'utf8'));
  const world = await createWorld(sluice.url, bootstrap);
  for (const { what, query, key, expected } of world.questions) {
    const [ours, theirs] = await Promise.all([
      ask(`${sluice.url}/graphql`, query, key),
      ask(router.url, query, key),
    ]);
    report(what, ours, theirs, expected);
  }
  router.stop();
} finally {
  await sluice.kill('SIGTERM');
  await rm(directory, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);

/** Composed from what each subgraph says of itself, as a router's own tools do it. */
async function supergraph(): Promise<string> {
  const services = await Promise.all(
    subgraphs.map(async ({ name }) => {
      const url = `${sluice.url}/subgraphs/${name}/graphql`;
      const { data } = await ask(url, '{ _service { sdl } }', null, { 'x-gateway-router-secret': secret });
      return { name, url, typeDefs: parse(data?._service.sdl) };
    }),
  );
  const { supergraphSdl, errors } = composeServices(services);
  if (!supergraphSdl) throw new Error(`The subgraphs do not compose: ${errors?.[0]?.message}`);
  return supergraphSdl;
}

function report(what: string, ours: Answer, theirs: Answer, expected: (answer: Answer) => boolean): void {
  const isSame = isDeepStrictEqual(seen(ours), seen(theirs));
  if (isSame && expected(ours)) {
    console.log(`Hive Gateway and Sluice answer alike: ${what}.`);
    return;
  }
  failures++;
  const finding = isSame ? 'Neither gives the answer that it should' : 'Hive Gateway and Sluice differ';
  console.error(`${finding}: ${what}.\nSluice: ${show(ours)}\nHive Gateway: ${show(theirs)}`);
}

/** What counts: the data, and of each error its code and place. */
function seen({ data, errors = [] }: Answer) {
  return { data, errors: errors.map(({ path, extensions }) => ({ path, code: extensions?.code })) };
}

function show(answer: Answer): string {
  return JSON.stringify(answer, null, 2);
}
