import type { ChangeKind, Changes } from '../../storage/changes.ts';

/** Resources whose changes may take something away from a credential. */
const taking: ReadonlySet<ChangeKind> = new Set([
  'organisation',
  'workspace',
  'api_key',
  'tenant',
  'service_account',
  'access_policy',
  'role',
  'user',
  'sign_in',
]);

/** Has connections that stay look at their credentials when something has changed that these may stand on. */
export function lookAfterChanges(
  changes: Pick<Changes, 'subscribe'>,
  connections: readonly { lookAgain(): void }[],
): void {
  changes.subscribe(async (kind) => {
    if (taking.has(kind)) for (const { lookAgain } of connections) lookAgain();
  });
}
