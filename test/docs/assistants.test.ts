import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { startApp, type TestApp } from '../support/app.ts';
import { root } from './pages.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.stop());

it('the program of the page runs as it stands there', async () => {
  const page = readFileSync(join(root, 'docs/assistants.md'), 'utf8');
  const [, program = ''] = /^```ts assistants\n([\s\S]*?)^```$/m.exec(page) ?? [];
  expect(program).not.toBe('');
  // Beside the tests, where Node finds the SDK.
  const file = join(root, 'test/docs', `assistants-${process.pid}.mts`);
  await writeFile(file, program);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      env: { ...process.env, SLUICE_URL: app.url, SLUICE_API_KEY: app.workspaceKey, NODE_OPTIONS: '' },
    });
    const words = '/tool Will it rain in Paris?';
    expect(stdout).toBe(`user: ${words}\nassistant: ${words}\n`);
  } finally {
    await rm(file);
  }
});
