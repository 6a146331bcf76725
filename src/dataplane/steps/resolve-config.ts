import { LRUCache } from 'lru-cache';
import type { ConfigRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { headerOf } from '../../lib/http/headers.ts';
import { inheritedParams, type Plan, planOf } from '../../routing-config/plan.ts';
import { parseGatewayConfig } from '../../routing-config/schema.ts';
import type { Call } from '../call/call.ts';
import type { CallStep } from './call-step.ts';

// Programs send the same inline config with every request.
const inlinePlans = new LRUCache<string, Plan>({
  max: 1000,
  maxSize: 8 * 1024 * 1024,
  sizeCalculation: (plan, text) => text.length + 100 * inheritedParams(plan),
});

/** The config of the call: the one it names or carries, else the key's default, else none. */
export const resolveConfig: CallStep = (call, { directory }) => {
  const header = headerOf(call.headers, 'x-gateway-config')?.trim();
  const { defaultConfig, allowConfigOverride } = call.key;
  if (header && !allowConfigOverride)
    throw new GatewayError('CONFIG_OVERRIDE_FORBIDDEN', { param: 'x-gateway-config' });
  if (header?.startsWith('{') || header?.startsWith('[')) {
    call.plan = inlinePlan(header);
    return;
  }
  const name = header || defaultConfig;
  if (!name) return;
  const found = directory.configs.get(`${call.workspaceId}/${name}`);
  if (found instanceof Promise) return found.then((config) => useNamed(call, name, config));
  useNamed(call, name, found);
};

function useNamed(call: Call, name: string, config: ConfigRecord | null): void {
  if (!config) {
    // What a JWT names as its default counts for nothing where it does not exist.
    if (name === call.key.defaultConfig && call.key.principal.kind === 'jwt') return;
    throw new GatewayError('INVALID_CONFIG', {
      message: `There is no config ${JSON.stringify(name.slice(0, 100))} in this workspace.`,
      param: 'x-gateway-config',
    });
  }
  useSaved(call, config);
}

/** Takes a saved config for the call. */
export function useSaved(call: Call, { id, slug, versionId, plan }: ConfigRecord): void {
  call.plan = plan;
  call.savedConfig = { id, slug, versionId };
}

function inlinePlan(text: string): Plan {
  const known = inlinePlans.get(text);
  if (known) return known;
  const plan = planOf(parseGatewayConfig(parseJson(text)));
  inlinePlans.set(text, plan);
  return plan;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new GatewayError('INVALID_CONFIG', {
      message: 'x-gateway-config is not valid JSON.',
      param: 'x-gateway-config',
      cause,
    });
  }
}
