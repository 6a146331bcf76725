import type { McpConfigurations } from './schema.ts';

const usualHeaders = { claims_header: 'x-user-claims', jwt_header: 'x-user-jwt' } as const;

/** The header in which the gateway says who calls; null where it says nothing. */
export function identityHeader({ user_identity_forwarding: rule }: McpConfigurations): string | null {
  if (rule === undefined) return null;
  if (rule.method === 'bearer') return 'authorization';
  return rule.header_name?.toLowerCase() ?? usualHeaders[rule.method];
}
