import { type Permission, type Principal, requireScope } from '../../../auth/index.ts';
import type { LogRecord } from '../../../recording/log/record.ts';

/** Any of them opens every log of the credential's workspaces. */
const viewingAll = ['logs.view', 'logs.read'] as const;
/** With one of these alone, somebody sees the logs of their own requests and those that they inserted. */
const viewingOwn = ['logs.write', 'completions.write'] as const;

type Owned = Pick<LogRecord, 'apiKeyId'>;

/** What says which logs are open to somebody. */
export type LogReader = Pick<Principal, 'id' | 'organisationId' | 'workspaceId' | 'scopes'>;

/** The scopes of a principal that open logs to it. */
export const openingScopes = ({ scopes }: Principal): Permission[] =>
  [...viewingAll, ...viewingOwn].filter((scope) => scopes.has(scope));

const isOwn = ({ id }: Pick<Principal, 'id'>, { apiKeyId }: Owned): boolean => id === apiKeyId;

/** Whether what stands in the headers and bodies of a log is for the credential. */
export const mayOpen = (principal: LogReader, record: Owned): boolean =>
  [...viewingAll, ...(isOwn(principal, record) ? viewingOwn : [])].some((scope) =>
    principal.scopes.has(scope),
  );

/** Throws FORBIDDEN for who opens no log at all. */
export const requireViewer = (principal: Principal | null): Principal =>
  requireScope(principal, [...viewingAll, ...viewingOwn]);

/** Throws FORBIDDEN where a log, or what stands in its headers and bodies, is not for the credential. */
export const requireVisible = (principal: Principal | null, record: LogRecord): Principal =>
  principal && isOwn(principal, record) ? requireViewer(principal) : requireScope(principal, viewingAll);
