import { apiKeyTypes, iamPermissions, mayHold, scopes } from '../../src/auth/index.ts';
import { builtInRoleDefinitions } from '../../src/auth/roles.ts';
import { code, page, type ReferencePage, tableOf } from './page.ts';

/** `configs` -> the verbs of its scopes that a key of some types may hold, by the names of these types. */
function families(): string[][] {
  const rows = new Map<string, string[]>();
  for (const scope of scopes.toSorted()) {
    const [family = '', verb = ''] = scope.split('.');
    const held = apiKeyTypes.map((type) => (mayHold(type, scope) ? 'yes' : 'no'));
    const row = [family, ...held].join(' ');
    rows.set(row, [...(rows.get(row) ?? []), verb]);
  }
  return [...rows].map(([row, verbs]) => {
    const [family = '', ...held] = row.split(' ');
    return [code(family), verbs.map(code).join(', '), ...held];
  });
}

/** The vocabulary of scopes, and the roles that every tenant has. */
export function scopesPage(): ReferencePage {
  const roles = Object.entries(builtInRoleDefinitions).map(([slug, { meaning, permissions }]) => [
    code(slug),
    meaning,
    String(permissions.length),
  ]);
  return page(
    'scopes',
    'Scopes and roles',
    'src/auth',
    [
      '## Scopes',
      '',
      'A scope is `<family>.<verb>`, such as `configs.create`. No scope implies another. The last columns say which',
      '[types of key](../identity.md#api-keys) may hold it.',
      '',
      tableOf(['family', 'verbs', ...apiKeyTypes.map(code)], families()),
      '',
      `Access tokens may hold, beside all scopes: ${iamPermissions.map(code).join(', ')}.`,
      '',
      '## Roles',
      '',
      'Every tenant has these; an [access policy](../identity.md#tenants-roles-and-policies) gives them.',
      '',
      tableOf(['role', 'meaning', 'permissions'], roles),
    ].join('\n'),
  );
}
