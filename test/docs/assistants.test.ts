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

/** Runs a program of the page as it stands there; answers what it prints. */
async function printedBy(name: string): Promise<string> {
  const page = readFileSync(join(root, 'docs/assistants.md'), 'utf8');
  const [, program = ''] = new RegExp(`^\`\`\`ts ${name}\\n([\\s\\S]*?)^\`\`\`$`, 'm').exec(page) ?? [];
  expect(program).not.toBe('');
  // Beside the tests, where Node finds the SDK.
  const file = join(root, `test/docs/${name}-${process.pid}.mts`);
  await writeFile(file, program);
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [file], {
      env: { ...process.env, SLUICE_URL: app.url, SLUICE_API_KEY: app.workspaceKey, NODE_OPTIONS: '' },
    });
    return stdout;
  } finally {
    await rm(file);
  }
}

it('the program with an assistant runs as it stands there', async () => {
  const words = '/tool Will it rain in Paris?';
  expect(await printedBy('assistants')).toBe(`user: ${words}\nassistant: ${words}\n`);
});

it('the program with responses and a conversation runs as it stands there', async () => {
  const said = ['first: Hello', 'second: And again', 'later: Take your time'];
  expect(await printedBy('responses')).toBe([...said, 'item: message', 'item: message', ''].join('\n'));
});

it('the program that brings data along runs as it stands there', async () => {
  const said = [
    'user: Where is it warm in May?',
    'assistant: In Seville.',
    'user: And in June?',
    'assistant: And in June?',
  ];
  expect(await printedBy('transfer')).toBe(['new: 2, there before: 0, refused: 0', ...said, ''].join('\n'));
});
