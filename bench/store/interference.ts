import { once } from 'node:events';
import { type Context, incrementOne, readOne } from './context.ts';
import { repeat, type Timing } from './measure.ts';
import { atMost, count, describe } from './report.ts';
import { startScript } from './server.ts';
import { statements } from './statements.ts';

/** What short statements wait while a long one runs: every long one beside reads, then again beside single writes. */
export async function measureInterference(context: Context): Promise<void> {
  const { memory, report } = context;
  for (const [name, { title }] of Object.entries(statements)) {
    memory.phase(`${title}, beside reads and writes`);
    const reads = await during(context, name, 0, 4, () => readOne(context));
    report.add(
      `4 clients' findOne during ${title}`,
      describeBeside(reads),
      atMost(reads.timing.p99, 50, 'ms p99'),
    );
    const writes = await during(context, name, 1, 1, () => incrementOne(context));
    report.add(`1 client's $inc during ${title}`, describeBeside(writes));
  }
}

type Beside = { timing: Timing; seconds: number };

function describeBeside({ timing, seconds }: Beside): string {
  return `${describe(timing)}, p99 at any moment ${count(timing.p99AnyMoment)} ms; it took ${count(seconds)} s`;
}

async function during(
  { server }: Context,
  name: string,
  pass: number,
  clients: number,
  operation: () => Promise<void>,
): Promise<Beside> {
  const { child } = await startScript('run-statement.ts', [server.uri, name, String(pass)]);
  let elapsed: number | null = null;
  let failed = false;
  child.once('message', (milliseconds) => {
    elapsed = Number(milliseconds);
  });
  const exited = once(child, 'exit').then(() => {
    failed = elapsed === null;
  });
  child.send('go');
  const timing = await repeat(clients, () => elapsed === null && !failed, operation);
  await exited;
  if (elapsed === null) throw new Error(`The long statement ${name} failed.`);
  return { timing, seconds: elapsed / 1000 };
}
