import type { RunningSluice } from './processes.ts';

/** Writes as an administrator of the workspace; throws what the gateway refuses. */
async function write({ port, workspaceKey }: RunningSluice, path: string, body: unknown): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method: 'POST',
    headers: { 'x-gateway-api-key': workspaceKey, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path} answered ${response.status}: ${await response.text()}`);
}

const ofEachKey = { conditions: [{ key: 'workspace_id', value: '*' }], group_by: [{ key: 'api_key' }] };
/** More than any benchmark takes. */
const PLENTY = 1_000_000_000;

/** Five limits that hold for each call and that none reaches: requests, tokens and dollars, by rate and by amount. */
export async function setFiveLimits(sluice: RunningSluice): Promise<void> {
  const rates = [
    { name: 'requests a minute', type: 'requests', unit: 'rpm', value: PLENTY },
    { name: 'tokens a minute', type: 'tokens', unit: 'rpm', value: PLENTY },
  ];
  for (const rate of rates) await write(sluice, '/policies/rate-limits', { ...ofEachKey, ...rate });
  const amounts = [
    { name: 'requests a month', type: 'requests', credit_limit: PLENTY, periodic_reset: 'monthly' },
    { name: 'tokens a month', type: 'tokens', credit_limit: PLENTY, periodic_reset: 'monthly' },
    { name: 'dollars a month', type: 'cost', credit_limit: 1_000_000, periodic_reset: 'monthly' },
  ];
  for (const amount of amounts) await write(sluice, '/policies/usage-limits', { ...ofEachKey, ...amount });
}

/** Slugs of guardrails whose checks read each question and each answer, and find nothing. */
export async function makeGuardrails(sluice: RunningSluice): Promise<{ input: string[]; output: string[] }> {
  const words = Array.from({ length: 200 }, (_, index) => `forbidden${index}`);
  const checks = [
    { id: 'default.contains', parameters: { words, operator: 'none' } },
    { id: 'default.regexMatch', parameters: { rule: '\\b(?:secret|internal)-\\d{4}\\b', not: true } },
    { id: 'gateway.secrets', parameters: {} },
    { id: 'gateway.pii', parameters: { categories: ['EMAIL_ADDRESS', 'CREDIT_CARD', 'SSN'] } },
    { id: 'default.wordCount', parameters: { minWords: 0, maxWords: 100_000 } },
  ];
  const slug = 'bench-checks';
  await write(sluice, '/guardrails', { name: 'Bench', slug, actions: { deny: true }, checks });
  return { input: [slug], output: [slug] };
}
