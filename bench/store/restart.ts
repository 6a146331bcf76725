import { setTimeout as sleep } from 'node:timers/promises';
import { MongoNetworkError } from 'mongodb';
import { type Context, connect, incrementOne, large, readOne } from './context.ts';
import { logDocument } from './documents.ts';
import { timed } from './measure.ts';
import { atMost, count } from './report.ts';
import { startServer } from './server.ts';

const rounds = 3;
const writers = 30;

/** From the start of a process to its first answer, after an orderly end and after a crash. */
export async function measureRestarts(context: Context): Promise<void> {
  const { report, memory, largeSize } = context;
  memory.phase('restart');
  const add = (what: string, seconds: number) =>
    report.add(
      `start with ${count(largeSize)} documents to first findOne, ${what}, slowest of ${rounds}`,
      `${count(seconds)} s`,
      atMost(seconds, 2, 's'),
    );
  const ordered: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await context.client.close();
    await context.server.stop();
    ordered.push(await restart(context));
  }
  add('after a clean stop', Math.max(...ordered));
  const crashed: number[] = [];
  for (let round = 0; round < rounds; round++) {
    await killUnderLoad(context, round);
    crashed.push(await restart(context));
  }
  add('after SIGKILL under load', Math.max(...crashed));
}

async function restart(context: Context): Promise<number> {
  const elapsed = await timed(async () => {
    context.server = await startServer(context.directory);
    context.client = connect(context.server.uri);
    await readOne(context);
  });
  context.memory.watch(context.server.pid);
  return elapsed / 1000;
}

/** Ends the server while clients insert and update. */
async function killUnderLoad(context: Context, round: number): Promise<void> {
  let ended = false;
  let next = context.largeSize + round * 1_000_000;
  const write = async (writer: number) => {
    while (!ended) {
      if (writer % 2 === 0) await large(context).insertOne(logDocument(next++));
      else await incrementOne(context);
    }
  };
  const writing = Array.from({ length: writers }, (_, writer) =>
    write(writer).catch((error: unknown) => {
      if (!ended || !(error instanceof MongoNetworkError)) throw error;
    }),
  );
  const kill = async () => {
    await sleep(1000);
    ended = true;
    await context.server.kill();
  };
  await Promise.all([kill(), ...writing]);
  await context.client.close();
}
