// A thousand callers at once spend a budget of one dollar through real gateways on one database, while gateways are killed and
// stopped and the database is killed and started again. The provider bills every call that reaches it, and may never have billed
// more than the budget, to the nanodollar. Where nobody is disturbed, at least 0.95 of the budget must be used, and in the end
// the store must have counted just what was billed.
//
// `-- --whole`: 1, 2 and 4 gateways, and 20 kills; else less of each, within a minute. With MONGODB_URI the gateways share a
// database there, which is not restarted.
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBiller } from './prove-limits/biller.ts';
import { Administration } from './prove-limits/budget.ts';
import { Fleet } from './prove-limits/fleet.ts';
import { type Outcome, type Plan, Race } from './prove-limits/race.ts';
import { startStore } from './prove-limits/store.ts';

const CALM = { kills: 0, stops: 0, restarts: 0 };
const wholePlan: readonly Plan[] = [
  ...[1, 2, 4].map((gateways) => ({ gateways, disturbances: CALM })),
  { gateways: 1, disturbances: { kills: 4, stops: 1, restarts: 0 } },
  { gateways: 2, disturbances: { kills: 4, stops: 1, restarts: 1 } },
  ...[1, 2, 3].map(() => ({ gateways: 4, disturbances: { kills: 4, stops: 2, restarts: 1 } })),
];
const shortPlan: readonly Plan[] = [
  { gateways: 2, disturbances: CALM },
  { gateways: 2, disturbances: { kills: 3, stops: 1, restarts: 1 } },
];
const WHOLE_KILLS = 20;
const LEAST_USED = 0.95;

const isWhole = process.argv.includes('--whole');
const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-limits-'));
const biller = await startBiller();
const store = await startStore(join(directory, 'store'), process.env.MONGODB_URI);
const fleet = new Fleet(directory, store.uri);

const faultOf = ({ overspent, used, miscounted, isCalm, open }: Outcome): string[] => [
  ...(overspent > 0 ? [`overspent by ${overspent} nanodollars`] : []),
  ...(isCalm && used < LEAST_USED ? [`only ${used.toFixed(4)} of the budget was used`] : []),
  ...(isCalm && miscounted !== 0 ? [`counted ${miscounted} nanodollars that were not billed`] : []),
  ...(!isCalm && miscounted < 0 ? [`${-miscounted} nanodollars that were billed are not counted`] : []),
  ...(open > 0 ? [`${open} reservations stay open`] : []),
];

try {
  await fleet.resize(1);
  const seeds = JSON.parse(await readFile(join(fleet.first, 'bootstrap.json'), 'utf8'));
  const administration = new Administration(seeds.workspace_api_key);
  const url = fleet.urls()[0] ?? '';
  await administration.addProvider(url, biller.url, seeds.workspace_id, seeds.admin_api_key);
  const race = new Race({ fleet, store, biller, administration, key: seeds.workspace_api_key });
  const faults: string[] = [];
  let kills = 0;
  const plans = isWhole ? [...wholePlan] : shortPlan;
  for (let index = 0; index < plans.length; index++) {
    const outcome = await race.run(plans[index] as Plan);
    console.log(outcome.line);
    faults.push(...faultOf(outcome));
    kills += outcome.kills;
    // A budget may be spent before all kills have come.
    const isLast = index === plans.length - 1;
    if (isWhole && isLast && kills < WHOLE_KILLS && plans.length < 20)
      (plans as Plan[]).push({
        gateways: 4,
        disturbances: { kills: WHOLE_KILLS - kills, stops: 1, restarts: 1 },
      });
  }
  for (const fault of faults) console.error(fault);
  console.log(`${plans.length} budgets, ${kills} kills, ${faults.length} faults.`);
  process.exitCode = faults.length === 0 && kills > 0 && (!isWhole || kills >= WHOLE_KILLS) ? 0 : 1;
} finally {
  await fleet.stop();
  await biller.stop();
  await store.stop();
  await rm(directory, { recursive: true, force: true });
}
