// Policies that are edited, archived and set back while two gateways on one database answer 500 requests a second: each change
// must hold at every gateway within a second, no call may fail for another reason, and the audit trail must say what was before
// and after. Then 10,000 policies in one workspace: what the first call after an edit waits for, how long the gateway does
// nothing else meanwhile, and what a caller costs who comes again.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Fleet } from './prove-limits/fleet.ts';
import { startStore } from './prove-limits/store.ts';
import { changeUnderTraffic } from './prove-policies/changes.ts';
import { manyPolicies } from './prove-policies/many.ts';

const faults: string[] = [];
const directory = await mkdtemp(join(tmpdir(), 'sluice-prove-policies-'));
const stores = [
  await startStore(join(directory, 'two-gateways'), process.env.MONGODB_URI),
  await startStore(join(directory, 'many-policies'), process.env.MONGODB_URI),
] as const;
const fleet = new Fleet(directory, stores[0].uri);
try {
  await fleet.resize(2);
  faults.push(...(await changeUnderTraffic(fleet, stores[0].uri)));
  await fleet.stop();
  faults.push(...(await manyPolicies(stores[1].uri)));
} finally {
  await fleet.stop();
  await Promise.all(stores.map((store) => store.stop()));
  await rm(directory, { recursive: true, force: true });
}
for (const fault of faults) console.error(`FAULT: ${fault}`);
process.exitCode = faults.length > 0 ? 1 : 0;
