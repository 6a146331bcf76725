import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createNativeStart, type Interpreter, nativeUnavailable } from '../../src/boxes/index.ts';

const PYTHON = '/usr/bin/python3';
/** What must be found nowhere in a box. */
const planted = 'sk-planted-8c2d1b66';
const never = new AbortController().signal;

const unavailable = nativeUnavailable(PYTHON);
if (unavailable !== null) process.stderr.write(`Native boxes are not tested: ${unavailable}\n`);
const here = unavailable === null ? describe : describe.skip;

jest.setTimeout(120_000);

let python: Interpreter;
let server: Server;
let connections = 0;
let port = 0;
let directory: string;
const start = createNativeStart(PYTHON);

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

/** Tries something in a box, and says what came of it. */
const tried = (code: string) =>
  written(`
try:
    def attempt():
${code.replace(/^/gm, '        ')}
    print('REACHED', attempt())
except BaseException as error:
    print('refused:', type(error).__name__, error)`);

here('a box of the native Python', () => {
  beforeAll(async () => {
    process.env.PLANTED_KEY = planted;
    directory = mkdtempSync(join(tmpdir(), 'sluice-native-'));
    writeFileSync(join(directory, 'planted'), planted);
    server = createServer((socket) => {
      connections += 1;
      socket.end();
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.address() as { port: number }).port;
    python = await start();
  });
  afterAll(async () => {
    delete process.env.PLANTED_KEY;
    rmSync(directory, { recursive: true });
    await python.close();
    server.close();
  });

  it('computes, shows the last value, keeps variables, and waits where a cell does', async () => {
    expect(await written('import math\nprint("hello")\nmath.factorial(20)')).toBe(
      'hello\n2432902008176640000\n',
    );
    expect(await written('import asyncio\nx = await asyncio.sleep(0, 41)')).toBe('');
    expect(await written('x + 1')).toBe('42\n');
  });

  it('shows the frames of an error that are the cell’s, and what child processes write', async () => {
    expect(await written('x = 1\nx / 0')).toMatch(
      /^Traceback .*\n {2}File "<cell>", line 2, in <module>\n {4}x \/ 0\n(.*\n)*ZeroDivisionError: /,
    );
    expect(await written('def')).toMatch(/SyntaxError/);
    expect(await written('import subprocess\nsubprocess.run(["echo", "from a child"]).returncode')).toBe(
      'from a child\n0\n',
    );
  });

  it('takes files, and tells which ones are new', async () => {
    const content = Buffer.from('a,b\n1,2\n');
    async function* read() {
      yield content;
    }
    await python.put('in.csv', { bytes: content.length, read }, never);
    const end = await python.run(
      'rows = open("/mnt/data/in.csv").read()\nimport os\nos.makedirs("deep")\nopen("deep/out.txt", "w").write(rows * 2)\nos.symlink("/etc", "link")',
      () => {},
      never,
    );
    expect(end).toEqual({ isFine: true, files: [{ name: 'deep/out.txt', bytes: 16 }] });
    expect(Buffer.from(await python.take('deep/out.txt', never)).toString()).toBe('a,b\n1,2\n'.repeat(2));
  });

  it('writes as much as it may', async () => {
    expect((await written('print("x" * 1_000_000)')).length).toBe(256 * 1024);
    expect(await written('print("again")')).toBe('again\n');
  });

  it.each<[string, () => string]>([
    ['a TCP connection', () => `import socket\nreturn socket.create_connection(('127.0.0.1', ${port}), 2)`],
    ['another machine', () => `import socket\nreturn socket.create_connection(('1.1.1.1', 53), 2)`],
    ['a name of the network', () => `import socket\nreturn socket.getaddrinfo('example.com', 80)`],
    ['a raw socket', () => `import socket\nreturn socket.socket(socket.AF_INET, socket.SOCK_RAW, 1)`],
    [
      'the files of the gateway',
      () => `return open(${JSON.stringify(join(process.cwd(), 'package.json'))}).read()`,
    ],
    ['a planted key', () => `return open(${JSON.stringify(join(directory, 'planted'))}).read()`],
    ['the users of the machine', () => `return open('/etc/passwd').read()`],
    ['home folders', () => `import os\nreturn os.listdir('/root')`],
    ['a write to the libraries', () => `return open('/usr/lib/escaped', 'w')`],
    ['a write to the root', () => `return open('/escaped', 'w')`],
    [
      'what the kernel runs on a crash',
      () => `return open('/proc/sys/kernel/core_pattern', 'w').write('|/tmp/x')`,
    ],
    [
      'another priority before the kernel',
      () => `return open('/proc/self/oom_score_adj', 'w').write('-1000')`,
    ],
    ['a write to the devices', () => `return open('/dev/escaped', 'w')`],
    ['the disks', () => `return open('/dev/sda', 'rb')`],
    ['the memory of the kernel', () => `return open('/proc/kcore', 'rb').read(1)`],
    ['settings of the kernel', () => `return open('/proc/sys/kernel/hostname', 'w').write('escaped')`],
    [
      'a mount',
      () =>
        `import subprocess\nreturn subprocess.run(['mount', '-t', 'tmpfs', 'x', '/mnt'], check=True, capture_output=True)`,
    ],
    [
      'rights by another user space',
      () =>
        `import subprocess\nreturn subprocess.run(['unshare', '-Ur', 'true'], check=True, capture_output=True)`,
    ],
    ['a change of user', () => `import os\nreturn os.setuid(0)`],
    ['another root', () => `import os\nreturn os.chroot('/tmp')`],
    ['the gateway as a process', () => `import os\nreturn os.kill(${process.pid}, 0)`],
    ['the memory of the gateway', () => `return open('/proc/${process.pid}/environ', 'rb').read()`],
  ])('%s is out of reach', async (_name, code) => {
    expect(await tried(code())).toMatch(/^refused: /);
  });

  it('nothing has reached the network, and the box has no interface but its own', async () => {
    expect(connections).toBe(0);
    expect(await written('import socket\n[name for _, name in socket.if_nameindex()]')).toMatch(/^\['lo'/);
  });

  it('sees its own processes alone', async () => {
    const seen = await written(
      'import os\nsorted(int(name) for name in os.listdir("/proc") if name.isdigit())',
    );
    expect(JSON.parse(seen).length).toBeLessThan(5);
    expect(await written('import os\nopen("/proc/1/cmdline").read()')).not.toContain('node');
  });

  it('has no planted key in environment, files and processes', async () => {
    const found = await written(`
import os
seen = [str(os.environ)]
for folder, _, names in os.walk('/'):
    if folder.startswith(('/usr', '/lib', '/bin', '/sbin', '/sys', '/proc', '/dev')): continue
    for name in names:
        try: seen.append(open(os.path.join(folder, name), 'rb').read(10_000_000).decode('latin1'))
        except OSError: pass
for name in os.listdir('/proc'):
    try: seen.append(open(f'/proc/{name}/environ', 'rb').read().decode('latin1'))
    except OSError: pass
any('sk-' + 'planted' in one for one in seen)`);
    expect(found).toBe('False\n');
    expect(readFileSync(join(directory, 'planted'), 'utf8')).toBe(planted);
  });

  it('holds no more files than it may, in any folder', async () => {
    for (const folder of ['/tmp', '/mnt/data', '/dev/shm'])
      expect(await tried(`return open('${folder}/large', 'wb').write(bytes(300_000_000))`)).toMatch(
        /^refused: OSError .*No space left/,
      );
  });

  const isGone = ({ pid }: Interpreter) => !existsSync(`/proc/${pid}`);

  it.each<[string, string, string]>([
    ['memory', 'memory', 'held = []\nwhile True: held.append(bytes(b"x") * 1_000_000)'],
    [
      'memory of its children',
      'memory',
      'import subprocess, sys\nsubprocess.run([sys.executable, "-c", "held = []\\nwhile True: held.append(bytes(b\'x\') * 1_000_000)"])',
    ],
    ['its end', 'crash', 'import os\nos._exit(3)'],
    [
      'frames of its own',
      'crash',
      'import os\nos.write(__import__("sys").modules["__main__"].__dict__.get("frames_out", 4), b"\\xff" * 100)',
    ],
  ])('ends by %s', async (_name, end, code) => {
    const own = await start();
    await expect(own.run(code, () => {}, never)).rejects.toMatchObject({ end });
    expect(isGone(own)).toBe(true);
  });

  it('begins no more processes than it may', async () => {
    const own = await start();
    const bomb = 'import os\nwhile True:\n    try: os.fork()\n    except OSError: pass';
    const stopping = new AbortController();
    setTimeout(() => stopping.abort(new Error('enough')), 20_000);
    // Where the kernel counts the processes of the box alone, none are begun beyond, and the cell goes on.
    const end = await own.run(bomb, () => {}, stopping.signal).catch((error) => error);
    expect(['processes', 'memory', undefined]).toContain(end.end);
    await own.close();
    expect(isGone(own)).toBe(true);
  });

  it('that works on when nothing is asked of it is ended', async () => {
    const own = await start();
    await own.run(
      'import subprocess, sys\np = subprocess.Popen([sys.executable, "-c", "while True: pass"])',
      () => {},
      never,
    );
    expect(await own.ended).toBe('processor');
    expect(isGone(own)).toBe(true);
  });

  it('is apart from the boxes of others', async () => {
    const names = ['ada', 'bob', 'cleo', 'dan'];
    const users = await Promise.all(names.map(async (name) => ({ name, own: await start() })));
    await Promise.all(
      users.map(({ name, own }) =>
        written(
          `mine = '${name}'\n_ = [open(f'{folder}/${name}', 'w').write(mine) for folder in ('/mnt/data', '/tmp')]`,
          own,
        ),
      ),
    );
    const seen = await Promise.all(
      users.map(({ own }) =>
        written(`import os\nprint(mine, os.listdir('/mnt/data'), os.listdir('/tmp'))`, own),
      ),
    );
    expect(seen).toEqual(names.map((name) => `${name} ['${name}'] ['${name}']\n`));
    await Promise.all(users.map(({ own }) => own.close()));
  });
});

it('a machine without bubblewrap, or without that Python, has a sentence that says so', () => {
  expect(nativeUnavailable('/usr/bin/no-such-python')).toMatch(
    /^Code cannot be run by \/usr\/bin\/no-such-python in bubblewrap on this machine: .+/,
  );
});
