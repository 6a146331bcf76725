import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Bootstrap } from '../../../seeds/bootstrap.ts';
import { type Ask, askAt } from '../../../seeds/demo/graph.ts';

const needed = (name: string): string => {
  const value = process.env[name];
  if (!value) throw new Error(`${name} is not set: these tests are run by \`npm run test:console\`.`);
  return value;
};

/** Where the service answers that scripts/test-console.ts has started. */
export const url = needed('CONSOLE_URL');
const data = needed('CONSOLE_DATA');
export const seeds = JSON.parse(readFileSync(join(data, 'bootstrap.json'), 'utf8')) as Bootstrap;
export const chromium = needed('CHROMIUM');

/** Asks the graph as the organisation. */
export const ask: Ask = askAt(url, seeds.admin_api_key);

const root = join(import.meta.dirname, '../../..');

/** The secret of a link that signs a person in, once, as `npm run console:link` prints one. */
export async function linkFor(email: string): Promise<string> {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', 'scripts/console-link.ts', '--user', email],
    { cwd: root, env: { PATH: process.env.PATH, DATA_DIR: data } },
  );
  return stdout.trim().split('#')[1] ?? '';
}

/** The secret of a new key of a workspace, which may do what is named and nothing else. */
export async function keyWith(workspaceId: string, ...scopes: string[]): Promise<string> {
  const { made } = await ask<{ made: { key: string } }>(
    'mutation ($input: CreateWorkspaceServiceApiKeyInput!) { made: createWorkspaceServiceApiKey(input: $input) { key } }',
    { input: { name: `browser-${scopes.join('-')}`.slice(0, 200), workspaceId, scopes } },
  );
  return made.key;
}
