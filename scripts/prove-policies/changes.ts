import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { MongoClient } from 'mongodb';
import type { Fleet } from '../prove-limits/fleet.ts';
import { Traffic } from './traffic.ts';

const ROUNDS = 4;
const HIGH = 1_000_000_000;
/** Milliseconds in which a change holds everywhere. */
const EFFECTIVE_MS = 1000;
const RATE = 500;
/** Less than a second's worth of calls is too few for a share of a second to be seen. */
const LEAST_RATE = 0.8 * RATE;

type Change = { what: string; method: string; path: string; body?: object; passes: boolean };

/** Answers what was wrong. */
export async function changeUnderTraffic(fleet: Fleet, databaseUri: string): Promise<string[]> {
  const seeds = JSON.parse(await readFile(join(fleet.first, 'bootstrap.json'), 'utf8'));
  const key: string = seeds.workspace_api_key;
  const urls = fleet.urls();
  const faults: string[] = [];
  const lateness: number[] = [];
  const traffic = new Traffic(urls, key, RATE);
  const ask = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${urls[0]}/v1${path}`, {
      method,
      headers: { 'x-gateway-api-key': key, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as { id: string };
  };

  async function make({ what, method, path, body, passes }: Change): Promise<void> {
    await ask(method, path, body);
    const at = performance.now();
    await wait(2 * EFFECTIVE_MS);
    // Calls that began after the change was answered and ended as if there had been none.
    const late = Math.max(
      0,
      ...traffic.startsOf(passes ? 'refused' : 'passed', at).map((start) => start - at),
    );
    lateness.push(late);
    if (late > EFFECTIVE_MS) faults.push(`${what}: held everywhere only after ${late.toFixed(0)} ms`);
    if (traffic.startsOf(passes ? 'passed' : 'refused', at).length === 0) faults.push(`${what}: never held`);
  }

  traffic.begin();
  const ids: string[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const { id } = await ask('POST', '/policies/usage-limits', {
      ...{ name: `Round ${round}`, type: 'requests', credit_limit: HIGH, wait_ms: 0 },
      conditions: [{ key: 'workspace_id', value: seeds.workspace_id }],
      group_by: [{ key: 'workspace_id' }],
    });
    ids.push(id);
    const path = `/policies/usage-limits/${id}`;
    // All that is used by now is more than this.
    await wait(2 * EFFECTIVE_MS);
    const low = { credit_limit: 10 };
    await make({ what: 'a lower amount', method: 'PUT', path, body: low, passes: false });
    const high = { credit_limit: 4 * EFFECTIVE_MS };
    await make({ what: 'a higher amount', method: 'PUT', path, body: high, passes: true });
    // Spent at this rate after some seconds.
    await traffic.untilRefused();
    const reset = { reset_usage_for_value: `workspace_id:${seeds.workspace_id}` };
    await make({ what: 'a reset', method: 'PUT', path, body: reset, passes: true });
    await make({ what: 'a lower amount again', method: 'PUT', path, body: low, passes: false });
    await make({ what: 'an archived policy', method: 'DELETE', path, passes: true });
  }
  const { rate, failed } = await traffic.end();
  if (failed.size > 0) faults.push(`calls failed: ${JSON.stringify([...failed])}`);
  if (rate < LEAST_RATE) faults.push(`only ${rate.toFixed(0)} requests a second were made`);
  faults.push(...(await auditFaults(databaseUri, ids)));
  lateness.sort((one, other) => one - other);
  const at = (share: number) => (lateness[Math.floor(share * (lateness.length - 1))] ?? 0).toFixed(0);
  console.log(
    `${lateness.length} changes under ${rate.toFixed(0)} requests/s at two gateways: in force everywhere after ${at(0.5)} ms (median), ${at(1)} ms (most)`,
  );
  return faults;
}

/** Every change has an entry with what was before and after. */
async function auditFaults(databaseUri: string, ids: readonly string[]): Promise<string[]> {
  const client = await MongoClient.connect(databaseUri);
  try {
    const rows = await client
      .db()
      .collection('audit_logs')
      .find({ targetId: { $in: [...ids] } })
      .toArray();
    const changes = rows.flatMap(
      ({ changes: made }) => made as { member: string; before: unknown; after: unknown }[],
    );
    const count = (member: string) =>
      changes.filter((each) => each.member === member && each.before !== each.after).length;
    const faults: string[] = [];
    if (count('creditLimit') !== 3 * ids.length)
      faults.push(`${count('creditLimit')} edits of an amount are in the trail`);
    if (count('status') !== ids.length) faults.push(`${count('status')} archivings are in the trail`);
    const resets = rows.filter((row) => JSON.stringify(row.changes).includes('workspace_id:'));
    if (resets.length < ids.length) faults.push(`${resets.length} resets are in the trail`);
    return faults;
  } finally {
    await client.close();
  }
}
