import { join } from 'node:path';
import { Crashes, faultKinds, type Outcome } from './matrix.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';

/** What of the matrix is walked. */
export type Part = { names: readonly ScenarioName[]; fleets: readonly number[] };

const isScenario = (name: string): name is ScenarioName => Object.hasOwn(scenarios, name);

/** The part that a command line names: scenarios, and numbers of gateways, divided by commas; all of either where it names none. */
export function partOf({ scenario, gateways }: { scenario?: string; gateways?: string }): Part {
  const names = (scenario ?? Object.keys(scenarios).join(',')).split(',');
  const wrong = names.find((name) => !isScenario(name));
  if (wrong !== undefined)
    throw new Error(`There is no scenario ${wrong}: ${Object.keys(scenarios).join(', ')}.`);
  const fleets = (gateways ?? '1,3').split(',').map(Number);
  if (!fleets.every((count) => Number.isInteger(count) && count > 0))
    throw new Error('--gateways takes numbers.');
  return { names: names.filter(isScenario), fleets };
}

/** Meets each kind of fault at each operation of each scenario, in fleets of gateways side by side; answers what was wrong. */
export async function proveMatrix(
  directory: string,
  { names, fleets }: Part,
  server?: string,
): Promise<string[]> {
  const lanes = fleets.map((count) => proveLane(join(directory, `lane-${count}`), { count, names }, server));
  return (await Promise.all(lanes)).flat();
}

type Lane = { count: number; names: readonly ScenarioName[] };

async function proveLane(directory: string, { count, names }: Lane, server?: string): Promise<string[]> {
  const crashes = await Crashes.start(directory, count, server);
  const faults: string[] = [];
  try {
    for (const scenario of names)
      for (const faultKind of faultKinds) {
        const outcomes: Outcome[] = [];
        for await (const outcome of crashes.enumerate(scenario, faultKind)) outcomes.push(outcome);
        const found = outcomes.flatMap((outcome) => described(count, outcome));
        faults.push(...found);
        const { kind, when } = faultKind;
        const slowest = Math.max(0, ...outcomes.map(({ freeAfterMs }) => freeAfterMs));
        console.log(
          `${count} gateways, ${scenario}, ${kind} ${when}: ${outcomes.length} operations, ` +
            `threads free after ${slowest} ms at most, ${found.length} faults.`,
        );
        // At once, since the whole takes hours.
        for (const fault of found) console.error(fault);
      }
  } finally {
    await crashes.stop();
  }
  return faults;
}

const described = (gateways: number, { scenario, at, kind, when, operation, faults }: Outcome): string[] =>
  faults.map((fault) => `${gateways} gateways, ${scenario}, ${kind} ${when} ${at} (${operation}): ${fault}`);
