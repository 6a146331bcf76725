import type { Limit, LimitCondition } from '../../../src/limits/limit.ts';
import type { LimitFacts } from '../../../src/limits/match/index.ts';

let made = 0;

/** A limit of a policy, unlike what is given a thousand requests a minute. */
export const limit = (given: Partial<Limit> = {}): Limit => ({
  id: `policy:${++made}`,
  version: 1,
  organisationId: 'org',
  workspaceId: 'ws',
  level: 'policy',
  name: 'a policy',
  kind: 'rate',
  unit: 'requests',
  amount: 1000,
  window: { kind: 'bucket', seconds: 60 },
  enforcement: 'hard',
  waitMs: 0,
  unpriced: 'count',
  onStoreLoss: 'local',
  onCrash: 'keep',
  onAbort: 'progress',
  alertThreshold: null,
  alertEmails: [],
  conditions: [],
  groupBy: [],
  target: 'llm',
  ...given,
});

export const condition = (
  key: string,
  values: readonly string[] | string,
  excludes: readonly string[] = [],
): LimitCondition => ({ key, values: typeof values === 'string' ? [values] : values, excludes });

export const facts = (given: Partial<LimitFacts> = {}): LimitFacts => ({
  api_key: 'key',
  workspace_id: 'ws',
  organisation_id: 'org',
  endpoint_type: 'chatComplete',
  config: '',
  prompt: '',
  model: '',
  virtual_key: '',
  provider: '',
  mcp_server: '',
  mcp_tool: '',
  metadata: {},
  ...given,
});
