import type { CounterDocument } from '../../../src/limits/counters/document.ts';
import type { StoredRateLimit, StoredUsageLimit } from '../../../src/subgraphs/limits/stored.ts';
import { eventually } from '../../support/eventually.ts';
import { created, type World } from '../../support/world.ts';

export type Limits = { usage?: Partial<StoredUsageLimit>[]; rates?: Partial<StoredRateLimit>[] };

const usage = (given: Partial<StoredUsageLimit>): StoredUsageLimit => ({
  type: 'cost',
  creditLimit: 1,
  alertThreshold: null,
  periodicReset: null,
  periodicResetDays: null,
  nextUsageResetAt: null,
  since: new Date(0),
  version: 1,
  lastResetAt: null,
  ...given,
});

const rate = (given: Partial<StoredRateLimit>): StoredRateLimit => ({
  type: 'requests',
  unit: 'rpm',
  value: 1000,
  since: new Date(0),
  version: 1,
  ...given,
});

const stored = ({ usage: usages = [], rates = [] }: Limits) => ({
  usageLimits: usages.map(usage),
  rateLimits: rates.map(rate),
});

export type LimitedKey = { id: string; key: string };

let count = 0;

/** A workspace key with limits, which nobody has used. */
export async function keyWith(
  { app }: World,
  limits: Limits,
  scopes = ['completions.write'],
): Promise<LimitedKey> {
  const { id, key } = await created(app, '/v1/api-keys/workspace/service', {
    name: `limited-${++count}`,
    scopes,
  });
  await app.db.collection<{ _id: string }>('api_keys').updateOne({ _id: id }, { $set: stored(limits) });
  return { id, key };
}

/** A provider of the world's workspace with limits, which nobody has used. */
export async function providerWith(world: World, limits: Limits): Promise<string> {
  const slug = await world.makeProvider();
  await world.app.db.collection('providers').updateOne({ slug }, { $set: stored(limits) });
  return slug;
}

async function gauge({ app }: World, name: string): Promise<number> {
  const text = await (await fetch(`${app.url}/metrics`)).text();
  const value = new RegExp(`^${name}(?:\\{[^}]*\\})? (\\d+)$`, 'm').exec(text)?.[1];
  if (value === undefined) throw new Error(`There is no gauge ${name}.`);
  return Number(value);
}

/** Reservations that are open, by the app's own metrics. */
export const openReservations = (world: World) => gauge(world, 'sluice_limits_open_reservations');

/** Calls that wait for limits, by the app's own metrics. */
export const waitingCalls = (world: World) => gauge(world, 'sluice_limits_waiting');

/** Until no call holds anything: a call that was left ends a little after its caller saw its end. */
export async function allSettled(world: World): Promise<void> {
  await eventually(async () => {
    const open = await openReservations(world);
    if (open > 0) throw new Error(`${open} reservations stay open.`);
  }, 15_000);
}

/** What the counters of an owner stand at in the store, by kind and unit, e.g. `usage:cost`. */
export async function countersOf({ app }: World, ownerId: string): Promise<Record<string, CounterDocument>> {
  const found = await app.db
    .collection<CounterDocument>('limit_counters')
    .find({ limitId: { $regex: `:${ownerId}:` } })
    .toArray();
  return Object.fromEntries(
    found.map((counter) => [counter.limitId.split(':').slice(2, 4).join(':'), counter as CounterDocument]),
  );
}
