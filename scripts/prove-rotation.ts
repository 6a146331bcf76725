// Rotates an API key while two processes of one installation serve 200 inference requests a second with its old and its
// new secret. No request may be refused before the transition is over, and none with the old secret be accepted after it.
//
// What is simulated: a transition takes 30 minutes at least. After the rotation, this program moves its end in the key's
// document to 10 seconds from then, which is what the document would say 10 seconds before the end of a real one, and has
// a process announce a change of the key. Everything else is as in production. `-- --whole` simulates nothing and takes
// half an hour.
import { randomBytes } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbedded } from '../src/storage/embedded/index.ts';
import { type SluiceProcess, startProcess } from '../test/support/process.ts';
import { countsOf, wrongOnes } from './prove-rotation/judge.ts';
import { rotateUnderLoad } from './prove-rotation/load.ts';

const isWhole = process.argv.includes('--whole');
const plan = { perSecond: 200, before: 3000, transition: isWhole ? null : 10_000, after: 5000 };

const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-rotation-'));
const store = await startEmbedded({ directory: join(directory, 'store'), databaseName: 'sluice' });
const env = { MONGODB_URI: store.uri, ENCRYPTION_KEY: randomBytes(32).toString('base64') };
const running: SluiceProcess[] = [];

try {
  for (const name of ['one', 'two']) running.push(await startProcess(join(directory, name), env));
  const bootstrap = JSON.parse(await readFile(join(directory, 'one/bootstrap.json'), 'utf8'));
  const urls = running.map(({ url }) => url);
  const { end, calls, seconds } = await rotateUnderLoad(
    { urls, databaseUri: store.uri, adminKey: bootstrap.workspace_api_key },
    plan,
  );
  const counts = countsOf(calls, end);
  for (const { url, accepted, refused, withNew } of counts) {
    console.log(
      `${url}: old secret accepted ${accepted} times before the end and refused ${refused} times after it; ` +
        `new secret accepted ${withNew} times.`,
    );
  }
  const wrong = wrongOnes(calls, end);
  for (const { url, secret, sentAt, status } of wrong) {
    console.error(`${url}: ${status} for the ${secret} secret, ${sentAt - end} ms from the end.`);
  }
  console.log(`${calls.length} requests in ${Math.round(seconds)} s, ${wrong.length} answered wrongly.`);
  const isLoaded = calls.length >= 0.95 * seconds * plan.perSecond;
  if (!isLoaded) console.error(`The load did not reach ${plan.perSecond} requests a second.`);
  const isSeen = counts.every(({ accepted, refused, withNew }) => accepted && refused && withNew);
  process.exitCode = wrong.length === 0 && isLoaded && isSeen && counts.length === 2 ? 0 : 1;
} finally {
  await Promise.all(running.map((sluice) => sluice.kill('SIGTERM')));
  await store.stop();
  await rm(directory, { recursive: true, force: true });
}
