// Lets a router made by others, Hive Gateway from npm, join our subgraphs over HTTP, half of them served by one process
// and half by another, and requires the answers that a whole Sluice over the same store gives to the same queries: the
// same data, and the same error codes at the same places.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { composeServices } from '@theguild/federation-composition';
import { parse } from 'graphql';
import { startEmbedded } from '../src/storage/embedded/index.ts';
import { subgraphs } from '../src/subgraphs/index.ts';
import { type SluiceProcess, startProcess } from '../test/support/process.ts';
import { startHiveGateway } from './prove-router/hive-gateway.ts';
import { type Answer, ask, createWorld } from './prove-router/world.ts';

const secret = randomBytes(24).toString('hex');
const encryptionKey = randomBytes(32).toString('base64');
const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-router-'));
const store = await startEmbedded({ directory: join(directory, 'store'), databaseName: 'sluice' });
const running: SluiceProcess[] = [];
let failures = 0;

try {
  const whole = await startSluice('whole', {});
  const names = subgraphs.map(({ name }) => name);
  const half = Math.ceil(names.length / 2);
  const parts = [...(await startPart(names.slice(0, half))), ...(await startPart(names.slice(half)))];
  const router = await startHiveGateway(await supergraphOf(parts), secret);
  const bootstrap = JSON.parse(await readFile(join(directory, 'whole/bootstrap.json'), 'utf8'));
  const { questions } = await createWorld(whole.url, bootstrap);
  for (const { what, query, key, expected } of questions) {
    const [ours, theirs] = await Promise.all([
      ask(`${whole.url}/graphql`, query, key),
      ask(router.url, query, key),
    ]);
    report(what, ours, theirs, expected);
  }
  router.stop();
} finally {
  await Promise.all(running.map((sluice) => sluice.kill('SIGTERM')));
  await store.stop();
  await rm(directory, { recursive: true, force: true });
}
process.exit(failures === 0 ? 0 : 1);

async function startSluice(name: string, env: Record<string, string>): Promise<SluiceProcess> {
  const shared = { MONGODB_URI: store.uri, ENCRYPTION_KEY: encryptionKey, SUBGRAPH_SECRET: secret };
  const sluice = await startProcess(join(directory, name), { ...shared, ...env });
  running.push(sluice);
  return sluice;
}

/** A process with some of the subgraphs, and what each of them says of itself. */
async function startPart(names: string[]) {
  const { url: origin } = await startSluice(names.join('-'), { SUBGRAPHS: names.join(',') });
  return Promise.all(
    names.map(async (name) => {
      const url = `${origin}/subgraphs/${name}/graphql`;
      const { data } = await ask(url, '{ _service { sdl } }', null, { 'x-gateway-router-secret': secret });
      return { name, url, typeDefs: parse(data?._service.sdl) };
    }),
  );
}

async function supergraphOf(services: Awaited<ReturnType<typeof startPart>>): Promise<string> {
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
