import { type Context, incrementOne, readOne } from './context.ts';
import { idOf, logDocument } from './documents.ts';
import { repeat, repeatFor, type Timing } from './measure.ts';
import { atLeast, atMost, type Budget, count, describe } from './report.ts';

const queueLength = 10_000;

/** Statements on one document. */
export async function measurePoints(context: Context): Promise<void> {
  const { memory } = context;
  memory.phase('findOne by _id');
  await measureReads(context);
  memory.phase('$inc by _id');
  await measureIncrements(context);
  memory.phase('insertOne');
  await measureSingleInserts(context);
  memory.phase('findOneAndUpdate queue');
  await measureQueue(context);
}

async function measureReads(context: Context): Promise<void> {
  const { report, seconds } = context;
  const read = () => readOne(context);
  const what = 'findOne by _id';
  const alone = await repeatFor(seconds, 1, read);
  report.add(`${what}, 1 client, p50`, `${count(alone.p50)} ms`, atMost(alone.p50, 1, 'ms'));
  report.add(`${what}, 1 client, p99`, describe(alone), atMost(alone.p99, 10, 'ms'));
  const many = await repeatFor(seconds, 32, read);
  report.add(`${what}, 32 clients`, describe(many), rate(many, 2500));
}

async function measureIncrements(context: Context): Promise<void> {
  const { report, seconds } = context;
  const what = '$inc by _id on random documents';
  const alone = await repeatFor(seconds, 1, () => incrementOne(context));
  report.add(`${what}, 1 client`, describe(alone), rate(alone, 400));
  const many = await repeatFor(seconds, 50, () => incrementOne(context));
  report.add(`${what}, 50 clients`, describe(many), rate(many, 2000));
  const same = await repeatFor(seconds, 50, () => incrementOne(context, idOf(1)));
  report.add('$inc on one document, 50 clients', describe(same));
}

async function measureSingleInserts(context: Context): Promise<void> {
  const { client, report, seconds } = context;
  const collection = client.db().collection('inserted');
  await collection.createIndex({ logId: 1 }, { unique: true });
  await collection.createIndex({ workspaceId: 1, createdAt: -1 });
  let number = 0;
  const insert = () => collection.insertOne(logDocument(number++));
  report.add('insertOne, 1 client', describe(await repeatFor(seconds, 1, insert)));
  report.add('insertOne, 50 clients', describe(await repeatFor(seconds, 50, insert)));
}

async function measureQueue({ client, report }: Context): Promise<void> {
  const queue = client.db().collection<{ number: number; state: string }>('queue');
  await queue.createIndex({ state: 1, number: 1 });
  await queue.insertMany(Array.from({ length: queueLength }, (_, number) => ({ number, state: 'waiting' })));
  let left = queueLength;
  const take = async () => {
    const job = await queue.findOneAndUpdate(
      { state: 'waiting' },
      { $set: { state: 'taken' } },
      { sort: { number: 1 } },
    );
    if (!job) throw new Error('The queue ended too early.');
  };
  const timing = await repeat(50, () => left-- > 0, take);
  report.add(`findOneAndUpdate, a queue of ${count(queueLength)}, 50 clients`, describe(timing));
}

function rate(timing: Timing, limit: number): Budget {
  return atLeast(timing.perSecond, limit, '/s');
}
