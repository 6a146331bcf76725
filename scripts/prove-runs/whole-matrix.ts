import { join } from 'node:path';
import { Crashes, faultKinds, type Outcome } from './matrix.ts';
import { type ScenarioName, scenarios } from './scenarios.ts';

const names = Object.keys(scenarios) as ScenarioName[];

/** Meets each kind of fault at each operation of each scenario, in one and in three gateways side by side; answers what was wrong. */
export async function proveMatrix(directory: string, server?: string): Promise<string[]> {
  const lanes = [1, 3].map((gateways) => proveLane(join(directory, `lane-${gateways}`), gateways, server));
  return (await Promise.all(lanes)).flat();
}

async function proveLane(directory: string, gateways: number, server?: string): Promise<string[]> {
  const crashes = await Crashes.start(directory, gateways, server);
  const faults: string[] = [];
  try {
    for (const scenario of names)
      for (const faultKind of faultKinds) {
        const outcomes: Outcome[] = [];
        for await (const outcome of crashes.enumerate(scenario, faultKind)) outcomes.push(outcome);
        faults.push(...outcomes.flatMap((outcome) => described(gateways, outcome)));
        const { kind, when } = faultKind;
        const slowest = Math.max(0, ...outcomes.map(({ freeAfterMs }) => freeAfterMs));
        console.log(
          `${gateways} gateways, ${scenario}, ${kind} ${when}: ${outcomes.length} operations, ` +
            `threads free after ${slowest} ms at most.`,
        );
      }
  } finally {
    await crashes.stop();
  }
  return faults;
}

const described = (gateways: number, { scenario, at, kind, when, operation, faults }: Outcome): string[] =>
  faults.map((fault) => `${gateways} gateways, ${scenario}, ${kind} ${when} ${at} (${operation}): ${fault}`);
