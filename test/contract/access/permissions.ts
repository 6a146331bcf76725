import { iamPermissions, type Permission, scopes } from '../../../src/auth/index.ts';

export const everything: readonly Permission[] = [...scopes, ...iamPermissions];

export const without = (taken: readonly Permission[]): Permission[] =>
  everything.filter((permission) => !taken.includes(permission));

const isOfIdentities = (permission: Permission) => (iamPermissions as readonly string[]).includes(permission);

/** Whether no gateway key can hold any of these. */
export const refusesKeys = (anyOf: readonly Permission[] | null): boolean =>
  anyOf?.every(isOfIdentities) ?? false;

/** What a credential is told that holds none of these. */
export const lacksAll = (anyOf: readonly Permission[] | null): string =>
  `The credential lacks the scope ${anyOf?.join(' or ')}.`;
