import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { temporaryDirectory } from '../storage/embedded/support.ts';
import { eventually } from '../support/eventually.ts';
import { type SluiceProcess, startProcess } from '../support/process.ts';

const script = new URL('../../scripts/rotate-signing-key.ts', import.meta.url).pathname;
const data = temporaryDirectory();
const settings = { DATA_DIR: join(data.path, 'data') };
let sluice: SluiceProcess;

beforeAll(async () => {
  sluice = await startProcess(settings.DATA_DIR);
});
afterAll(async () => {
  await sluice.kill('SIGTERM');
  data.remove();
});

const run = promisify(execFile);
const rotate = (...options: string[]): Promise<{ stdout: string }> =>
  run(process.execPath, ['--disable-warning=ExperimentalWarning', script, ...options], {
    env: { PATH: process.env.PATH, ...settings },
  });
const published = async () => {
  const { keys } = (await (await fetch(`${sluice.url}/oauth2/jwks`)).json()) as { keys: { kid: string }[] };
  return keys.map(({ kid }) => kid);
};
const keyIn = (stdout: string) => /^The key ([\w-]{43}) /.exec(stdout)?.[1] ?? '';

test('a running service publishes the next key, and forgets all others when they are revoked', async () => {
  const [first = ''] = await published();
  const rotated = await rotate();
  expect(rotated.stdout).toMatch(/ is published and signs from \d{4}-\S+Z on\.\n$/);
  await eventually(async () => expect(await published()).toEqual([first, keyIn(rotated.stdout)]));
  const revoked = await rotate('--revoke');
  expect(revoked.stdout).toMatch(/ signs; all earlier keys and their tokens are refused\.\n$/);
  await eventually(async () => expect(await published()).toEqual([keyIn(revoked.stdout)]));
});

test('a service that was killed is not waited for', async () => {
  await sluice.kill('SIGKILL');
  const { stdout } = await rotate();
  sluice = await startProcess(settings.DATA_DIR);
  expect(await published()).toContain(keyIn(stdout));
});

test('says how it is called', async () => {
  await expect(rotate('--now')).rejects.toMatchObject({
    code: 1,
    stderr: 'Usage: npm run rotate:signing-key [-- --revoke]\n',
  });
});
