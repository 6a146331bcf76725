/** What was done, as the audit trail tells it. */
export type Deed = { action: string; resourceType: string; targetName: string | null; outcome: string };

const pasts: Readonly<Record<string, string>> = {
  create: 'created',
  update: 'changed',
  delete: 'deleted',
  rotate: 'rotated',
  accept: 'accepted',
  revoke: 'revoked',
  test: 'tried out',
  reset: 'set back',
};

/** `rotated the API key “ci”`; `tried to delete the config “main”` for what was refused or failed. */
export function deed({ action, resourceType, targetName, outcome }: Deed): string {
  if (resourceType === 'sign_in' && action === 'create')
    return outcome === 'success' ? 'signed in' : 'tried to sign in';
  const kind = resourceType
    .replaceAll('_', ' ')
    .replace(/^api\b/, 'API')
    .replace(/^mcp\b/, 'MCP');
  const what = targetName ? `the ${kind} “${targetName}”` : `${/^[aeiou]/i.test(kind) ? 'an' : 'a'} ${kind}`;
  const verb = action.replaceAll('_', ' ');
  if (outcome !== 'success') return `tried to ${verb} ${what}`;
  return `${pasts[action] ?? `did “${verb}” to`} ${what}`;
}
