// An engine in a process of its own, to be killed: it takes what its parent says, and tells what it was given.
import { createInterface } from 'node:readline';
import { createLogger } from '../../../src/lib/logger.ts';
import { createCounterStore, createLimitEngine } from '../../../src/limits/engine/index.ts';
import type { Limit } from '../../../src/limits/limit.ts';
import { openStorage } from '../../../src/storage/connection.ts';
import { nativeDb } from '../../../src/storage/native-db.ts';

const [, , directory = '', mongodbUri = '', limitText = ''] = process.argv;
const limit = JSON.parse(limitText) as Limit;
const storage = await openStorage({ dataDirectory: directory, mongodbUri });
const engine = createLimitEngine({
  store: createCounterStore(() => nativeDb(storage.db)),
  leaseMs: 1000,
  journalDirectory: directory,
  log: createLogger('info'),
});
engine.start();
const asks = (amount: number) => [{ counter: engine.counterOf(limit, '', {}), amount }];
const say = (word: string) => process.stdout.write(`${word}\n`);
say('ready');
for await (const line of createInterface({ input: process.stdin })) {
  // `take 10 4` ends with 4 of 10 used; `take 10` never ends.
  const [, amount = '0', used] = line.split(' ');
  const outcome = await engine.take(asks(Number(amount)));
  if ('settle' in outcome && used !== undefined) outcome.settle([Number(used)]);
  say('settle' in outcome ? 'taken' : outcome.why);
}
