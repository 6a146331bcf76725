import { setTimeout as wait } from 'node:timers/promises';
import { type Collection, MongoClient } from 'mongodb';
import type { CounterDocument } from '../../src/limits/counters/document.ts';

/** Nanodollars of the budget of a run. */
export const BUDGET = 1_000_000_000;
/** Milliseconds after which every gateway goes by a policy that was made. */
const KNOWN_MS = 1500;

/** Calls that make the provider and, for each run, its budget. `url`: of a gateway. */
export class Administration {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  async addProvider(url: string, provider: string, workspace: string, adminKey: string): Promise<void> {
    await post(url, '/integrations', adminKey, {
      name: 'Biller',
      slug: 'biller',
      ai_provider_id: 'openai',
      key: 'sk-biller',
      configurations: { custom_host: provider },
      workspace_id: workspace,
    });
  }

  /** A budget of one dollar of which calls with `run` in their metadata are a part. */
  async addBudget(url: string, run: string): Promise<string> {
    const { id } = await post(url, '/policies/usage-limits', this.#key, {
      name: `Run ${run}`,
      conditions: [{ key: 'metadata.run', value: run }],
      group_by: [{ key: 'workspace_id' }],
      type: 'cost',
      credit_limit: BUDGET / 1e9,
      wait_ms: 3000,
    });
    await wait(KNOWN_MS);
    return id;
  }
}

async function post(url: string, path: string, key: string, body: object): Promise<{ id: string }> {
  const headers = { 'x-gateway-api-key': key, 'content-type': 'application/json' };
  const answer = await fetch(`${url}/v1${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${path} answered ${answer.status}: ${text}`);
  return JSON.parse(text);
}

/** The counter of a policy in the store; null before anybody asked for it. */
export async function counterOf(databaseUri: string, policy: string): Promise<CounterDocument | null> {
  const client = await MongoClient.connect(databaseUri);
  try {
    const counters: Collection<CounterDocument> = client.db().collection('limit_counters');
    return await counters.findOne({ limitId: `policy:${policy}` });
  } finally {
    await client.close();
  }
}
