import { execFile, execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const script = join(import.meta.dirname, '../../scripts/schema-diff.ts');

const rules = 'directive @access(anyOf: [String!]!) on FIELD_DEFINITION\n';
const first = `${rules}enum Colour { red }
  type Query { a(x: Int): Int b: Colour @access(anyOf: ["b.read"]) c: Int }`;
const wider = `${rules}enum Colour { red green }
  type Query { a(x: Int, y: Int): Int b: Colour @access(anyOf: ["b.view"]) c: Int }`;
const narrower = `${rules}enum Colour { red green } type Query { b: Colour @access(anyOf: ["b.view"]) c: Int }`;

let repository: string;

const git = (...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=Test', '-c', 'user.email=test@example.org', ...args], {
    cwd: repository,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  }).trim();

const write = (text: string) => writeFileSync(join(repository, 'test/contract/printed.graphql'), text);

function commit(text: string, message: string): string {
  write(text);
  git('add', '.');
  git('commit', '--quiet', '--message', message);
  return git('rev-parse', 'HEAD');
}

const diff = (...args: string[]) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    execFile(process.execPath, [script, ...args], { cwd: repository }, (error, stdout, stderr) =>
      resolve({ code: error ? error.code : 0, stdout, stderr }),
    );
  });

let start: string;
let widened: string;

beforeAll(() => {
  repository = mkdtempSync(join(tmpdir(), 'sluice-schema-diff-'));
  git('init', '--quiet');
  git('commit', '--quiet', '--allow-empty', '--message', 'Nothing yet');
  mkdirSync(join(repository, 'test/contract'), { recursive: true });
  start = commit(first, 'First schema');
  widened = commit(wider, 'Wider schema');
});
afterAll(() => rmSync(repository, { recursive: true, force: true }));

describe('npm run schema:diff', () => {
  it('tells what the last commit and the working tree changed, and fails when that breaks callers', async () => {
    write(narrower);
    const { code, stdout } = await diff();
    expect(stdout).toMatch(/^Since \w+ First schema\n/);
    expect(stdout).toMatch(/Breaks callers:\n- Query\.a was removed\.\n/);
    expect(code).toBe(1);
  });

  it('lists what may surprise, rules included, without failing', async () => {
    write(wider);
    const { code, stdout } = await diff(start);
    expect(stdout).toContain('Breaks callers: nothing');
    expect(stdout).toContain('- green was added to enum type Colour.');
    expect(stdout).toContain('- Query.b had @access(anyOf: ["b.read"]) and has @access(anyOf: ["b.view"]).');
    expect(code).toBe(0);
  });

  it('compares with a given ref', async () => {
    write(wider);
    expect(await diff(widened)).toEqual({
      code: 0,
      stdout: expect.stringMatching(/Breaks callers: nothing\n\nMay surprise callers: nothing\n$/),
      stderr: '',
    });
    expect((await diff('HEAD~2')).stdout).toContain('test/contract/printed.graphql is new.');
  });

  it('compares what each version of the code says of the REST API', async () => {
    const script = 'scripts/codegen/print-description.ts';
    const printing = (...paths: string[]) => {
      const items = paths.map((path) => [
        path,
        { get: { operationId: path, parameters: [], responses: {} } },
      ]);
      const api = { paths: Object.fromEntries(items), components: { schemas: {} } };
      writeFileSync(join(repository, script), `console.log('${JSON.stringify(api)}');`);
    };
    mkdirSync(join(repository, 'scripts/codegen'), { recursive: true });
    printing('/a', '/b');
    const described = commit(wider, 'Describe REST');
    printing('/a');
    const { code, stdout } = await diff(described);
    expect(stdout).toMatch(/Breaks callers:\n- GET \/b is gone\.\n/);
    expect(code).toBe(1);
    git('reset', '--quiet', '--hard', widened);
  });

  it('starts where the branch left origin/main', async () => {
    write(wider);
    git('update-ref', 'refs/remotes/origin/main', 'HEAD~2');
    expect((await diff()).stdout).toMatch(/^Since \w+ Nothing yet\n/);
    git('update-ref', 'refs/remotes/origin/main', 'HEAD');
    expect((await diff()).stdout).toMatch(/^Since \w+ First schema\n/);
    git('update-ref', '-d', 'refs/remotes/origin/main');
  });

  it.each(['nonsense', '--output=stolen'])('refuses %s, which is no commit', async (ref) => {
    expect(await diff(ref)).toEqual({
      code: 2,
      stdout: '',
      stderr: `${ref} is no commit of this repository.\n`,
    });
  });
});
