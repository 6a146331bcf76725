import { join } from 'node:path';
import { interpreterStart } from '../src/assembly/code-interpreter.ts';
import { createBoxes, createBoxServer, createInterpreters } from '../src/boxes/index.ts';
import { listen } from '../src/http/server.ts';
import { localUrl } from '../src/lib/http/local-url.ts';
import { createLogger } from '../src/lib/logger.ts';
import { readSettings } from '../src/settings/index.ts';

/**
 * `npm run boxes`: a box server, on which gateways with `CODE_INTERPRETER=remote` run the code of models. It needs no database, and
 * keeps nothing but what Python starts from.
 */
async function main(): Promise<void> {
  const { codeInterpreter, listen: at, storage, logLevel } = readSettings();
  const { runs, token, places, keepsWarm } = codeInterpreter;
  if (token === null)
    throw new Error('CODE_INTERPRETER_TOKEN is needed: whoever sends it may run code here.');
  if (runs !== 'deno' && runs !== 'native') throw new Error('CODE_INTERPRETER must be deno or native here.');
  const log = createLogger(logLevel);
  const directory = join(storage.dataDirectory, 'boxes');
  const boxes = createBoxes(directory);
  const start = interpreterStart(codeInterpreter, { boxes, directory, log });
  if (!start) throw new Error(boxes.unavailable ?? 'No box can be started here.');
  const interpreters = createInterpreters({ start, keepsWarm, log });
  const { server, stop: stopServer } = createBoxServer({ interpreters, token, places, log });
  const port = await listen(server, at.host, at.port);
  process.stdout.write(`Boxes are at ${localUrl(at.host, port)}\n`);
  const stop = async () => {
    await stopServer();
    await interpreters.stop();
    await boxes.stop();
    process.exit(0);
  };
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void stop());
}

await main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
});
