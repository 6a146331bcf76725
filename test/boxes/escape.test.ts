import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { type Boxes, createBoxes } from '../../src/boxes/index.ts';
import type { Interpreter } from '../../src/boxes/python/interpreter.ts';
import { createStart, type StartInterpreter } from '../../src/boxes/python/start.ts';
import { warmUp } from '../../src/boxes/python/warm-up.ts';
import { createLogger } from '../../src/lib/logger.ts';
import { boxesDirectory } from './directory.ts';

/** What must be found nowhere in a box. */
const planted = 'sk-planted-5f1e0c77';

const never = new AbortController().signal;
let boxes: Boxes;
let start: StartInterpreter;
let python: Interpreter;
let server: Server;
let connections = 0;
let port = 0;

beforeAll(async () => {
  process.env.PLANTED_KEY = planted;
  boxes = createBoxes(boxesDirectory);
  start = createStart(boxes, boxesDirectory, createLogger('silent'));
  server = createServer((socket) => {
    connections += 1;
    socket.end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as { port: number }).port;
  python = await start();
  writeFileSync(join(boxesDirectory, 'planted'), planted);
}, 120_000);

afterAll(async () => {
  delete process.env.PLANTED_KEY;
  rmSync(join(boxesDirectory, 'planted'));
  await boxes.stop();
  server.close();
});

async function written(code: string, interpreter = python): Promise<string> {
  let text = '';
  await interpreter.run(
    code,
    (part) => {
      text += part;
    },
    never,
  );
  return text;
}

/** A cell that runs a script in the box outside of Python, and says what came of it. */
const asCell = (script: string) =>
  `from pyodide.code import run_js\nprint(await run_js(${JSON.stringify(`(async () => {
    try { const got = await (async () => { ${script} })(); return 'REACHED ' + String(got); }
    catch (error) { return 'refused: ' + error.message; }
  })()`)}))`;

const outside = (script: string) => written(asCell(script));

const refused = /^refused: (Requires \w+ access|.*--no-remote is specified|.*--no-npm is specified)/;

jest.setTimeout(120_000);

describe('from inside a box', () => {
  it('the first cell of Python finds no trace of those that warmed it up', async () => {
    const fresh = await start();
    await warmUp(fresh, () => false);
    expect(await written('[name for name in dir() if not name.startswith("_")]', fresh)).toBe('[]\n');
    expect(await written('1 / 0', fresh)).toMatch(
      /^Traceback[^\n]*\n {2}File "<cell>", line 1, in <module>\n {4}1 \/ 0\n[^\n]*\nZeroDivisionError: division by zero\n$/,
    );
    expect(await written('import sys\nhasattr(sys, "last_exc")', fresh)).toBe('False\n');
    await fresh.close();
  });

  it('Python computes', async () => {
    expect(await written('import math\nprint("hello")\nmath.factorial(20)')).toBe(
      'hello\n2432902008176640000\n',
    );
  });

  it.each([
    ['a TCP connection', () => `return await Deno.connect({ hostname: '127.0.0.1', port: ${port} })`],
    ['a request', () => `return (await fetch('http://127.0.0.1:${port}/')).status`],
    [
      'a WebSocket',
      () =>
        `return await new Promise((ok, no) => { const socket = new WebSocket('ws://127.0.0.1:${port}'); socket.onopen = ok; socket.onerror = () => no(new Error('no')) })`,
    ],
    [
      'a socket of Node.js',
      () =>
        `const net = await import('node:net'); return await new Promise((ok, no) => { net.connect(${port}, '127.0.0.1').on('connect', ok).on('error', no) })`,
    ],
    ['a listener', () => `return await Deno.listen({ port: 0 })`],
    ['a name of the network', () => `return await Deno.resolveDns('example.com', 'A')`],
    ['a module of another machine', () => `return await import('http://127.0.0.1:${port}/module.js')`],
    ['a package', () => `return await import('npm:left-pad')`],
    ['a file of the system', () => `return await Deno.readTextFile('/etc/hostname')`],
    ['a file by the way of Node.js', () => `return (await import('node:fs')).readFileSync('/etc/hostname')`],
    [
      'the keys of the gateway',
      () => `return await Deno.readTextFile(${JSON.stringify(join(boxesDirectory, 'planted'))})`,
    ],
    ['its own folder by a detour', () => `return await Deno.readTextFile('../planted')`],
    ['a file as a module', () => `return await import('file:///etc/hostname')`],
    [
      'a file as JSON',
      () =>
        `return await import('file://${join(process.cwd(), 'package.json')}', { with: { type: 'json' } })`,
    ],
    [
      'a file by require',
      () => `return (await import('node:module')).createRequire('file:///')('${process.cwd()}/package.json')`,
    ],
    [
      'a package by require',
      () =>
        `return (await import('node:module')).createRequire('file://${process.cwd()}/')('mongodb/package.json')`,
    ],
    ['a folder', () => `return [...Deno.readDirSync('/')].length`],
    ['its own memory as a file', () => `return await Deno.readFile('/proc/self/mem')`],
    ['the environment', () => `return JSON.stringify(Deno.env.toObject())`],
    ['the environment by a file', () => `return await Deno.readTextFile('/proc/self/environ')`],
    ['a new file', () => `return await Deno.writeTextFile('/tmp/escaped', 'x')`],
    ['a new file of its own folder', () => `return await Deno.writeTextFile('escaped', 'x')`],
    ['a process', () => `return await new Deno.Command('/bin/true').output()`],
    [
      'a process of Node.js',
      () => `return (await import('node:child_process')).execSync('/bin/true', { env: {} })`,
    ],
    [
      'a native library',
      () => `return Deno.dlopen('libc.so.6', { getpid: { parameters: [], result: 'i32' } })`,
    ],
    ['a signal for the gateway', () => `return Deno.kill(${process.pid}, 'SIGTERM')`],
    ['a signal by the way of Node.js', () => `return (await import('node:process')).kill(${process.pid}, 0)`],
    ['the name of the machine', () => `return Deno.hostname()`],
    ['its addresses', () => `return Deno.networkInterfaces().length`],
  ])('%s is out of reach', async (_name, script) => {
    expect(await outside(script())).toMatch(refused);
  });

  it.each(['net', 'read', 'write', 'env', 'run', 'ffi', 'sys'])(
    'the permission %s is not to be had',
    async (name) => {
      expect(await outside(`return (await Deno.permissions.request({ name: '${name}' })).state`)).toBe(
        'REACHED denied\n',
      );
    },
  );

  it('nothing has reached the network', () => {
    expect(connections).toBe(0);
  });

  it('no datagram gets out', async () => {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
    const heard = once(socket, 'message');
    const script = `const dgram = await import('node:dgram'); dgram.createSocket('udp4').send('box', ${socket.address().port}, '127.0.0.1'); await new Promise((ok) => setTimeout(ok, 100))`;
    const own = await start();
    // The error reaches no handler, and ends the box.
    await expect(own.run(asCell(script), () => {}, never)).rejects.toMatchObject({ end: 'crash' });
    socket.send('test', socket.address().port, '127.0.0.1');
    expect(String((await heard)[0])).toBe('test');
    socket.close();
  });

  it('no planted key is found in environment, files and modules', async () => {
    const found = await written(`
import os
open('/mnt/data/own', 'w').write('a key of its own')
seen = [str(os.environ)]
for folder, _, names in os.walk('/'):
    for name in names:
        path = os.path.join(folder, name)
        if path.startswith(('/proc', '/dev')) or os.path.getsize(path) > 10_000_000: continue
        seen.append(open(path, 'rb').read().decode('latin1'))
print([any(text in one for one in seen) for text in ('a key of its own', 'sk-planted')])`);
    expect(found).toBe('[True, False]\n');
  });
});

describe('four users at once', () => {
  it('see nothing of each other', async () => {
    const users = await Promise.all(
      ['ada', 'bob', 'cleo', 'dan'].map(async (name) => ({ name, own: await start() })),
    );
    await Promise.all(
      users.map(({ name, own }) =>
        written(`mine = '${name}'\nopen('/mnt/data/${name}', 'w').write(mine)`, own),
      ),
    );
    const seen = await Promise.all(
      users.map(({ own }) => written(`print(mine, __import__('os').listdir('/mnt/data'))`, own)),
    );
    expect(seen).toEqual(users.map(({ name }) => `${name} ['${name}']\n`));
    const drawn = await Promise.all(
      users.map(({ own }) => written('import random, uuid\nrandom.random(), uuid.uuid4().hex', own)),
    );
    expect(new Set(drawn.flatMap((line) => line.split(', '))).size).toBe(8);
    expect(
      await written('sorted(name for name in globals() if not name.startswith("_"))', users[0]?.own),
    ).toBe("['mine', 'random', 'uuid']\n");
    await Promise.all(users.map(({ own }) => own.close()));
  });
});
