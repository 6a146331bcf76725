import {
  apiKeyTypes,
  holdersOf,
  iamPermissions,
  meaningOf,
  presetsFor,
  scopes,
} from '../../src/auth/index.ts';
import { builtInRoleDefinitions } from '../../src/auth/roles.ts';
import { code, page, type ReferencePage, tableOf } from './page.ts';

/** Each scope with what it means, and whether a key of each type may hold it. */
const scopeRows = (): string[][] =>
  scopes
    .toSorted()
    .map((scope) => [
      code(scope),
      meaningOf(scope),
      ...apiKeyTypes.map((type) => (holdersOf(scope).includes(type) ? 'yes' : 'no')),
    ]);

const presetRows = (): string[][] =>
  apiKeyTypes.flatMap((type) =>
    presetsFor(type).map((preset) => [
      code(preset.id),
      code(type),
      preset.description,
      preset.scopes.length > 10
        ? `every scope of the type that lists, reads or views (${preset.scopes.length})`
        : preset.scopes.map(code).join(', '),
    ]),
  );

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
      '[types of key](../identity.md#api-keys) may hold it. `GET /v1/scopes` answers the same list.',
      '',
      tableOf(['scope', 'a key with it may', ...apiKeyTypes.map(code)], scopeRows()),
      '',
      `Access tokens may hold, beside all scopes: ${iamPermissions.map(code).join(', ')}.`,
      '',
      '## Presets',
      '',
      'Scopes that are usually given together; `GET /v1/scope-presets?type=workspace-service` answers those of one type.',
      '',
      tableOf(['preset', 'type of key', 'for', 'scopes'], presetRows()),
      '',
      '## Roles',
      '',
      'Every tenant has these; an [access policy](../identity.md#tenants-roles-and-policies) gives them.',
      '',
      tableOf(['role', 'meaning', 'permissions'], roles),
    ].join('\n'),
  );
}
