import { type Principal, requireScope, tenantFilter } from '../../auth/index.ts';
import { GatewayError } from '../../errors/index.ts';
import type { GraphContext } from '../context.ts';

/** The workspace that something belongs to, and its organisation. */
export type OwningWorkspace = { organisationId: string; workspaceId: string };

/** Whoever reads assistants, threads and runs. */
export const requireReader = ({ principal }: GraphContext): Principal =>
  requireScope(principal, ['completions.write', 'completions.read']);

/** The workspace in which a caller makes and changes them. Throws FORBIDDEN for a credential without one. */
export const requireWriter = ({ principal }: GraphContext): OwningWorkspace =>
  requireWorkspace(requireScope(principal, ['completions.write']));

/** The one workspace of a credential. Throws FORBIDDEN. */
export function requireWorkspace({ organisationId, workspaceId }: Principal): OwningWorkspace {
  if (workspaceId !== null) return { organisationId, workspaceId };
  throw new GatewayError('FORBIDDEN', {
    message: 'Assistants, threads and files belong to a workspace: name one in x-gateway-workspace-id.',
  });
}

/** What of them a credential reaches. */
export const visible = (principal: Principal) => tenantFilter(principal);

/** The kinds of objects, by the prefix of their ids. */
const prefixes = {
  assistant: 'asst',
  thread: 'thread',
  message: 'msg',
  run: 'run',
  step: 'step',
  file: 'file-',
  upload: 'upload_',
  batch: 'batch_',
  vector_store: 'vs_',
  file_batch: 'vsfb_',
} as const;
export type ObjectKind = keyof typeof prefixes;

const form = /^[A-Za-z0-9_-]{1,200}$/;

/**
 * Throws VALIDATION_FAILED for what can be no id of its kind: programs that mix up the order of arguments send one object's
 * id, or the text `undefined`, in the place of another's.
 */
export function requireId(kind: ObjectKind, id: string): void {
  const prefix = prefixes[kind];
  if (id.startsWith(prefix) && form.test(id)) return;
  const param = `${kind}_id`;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `Invalid '${param}': '${id.slice(0, 100)}'. Expected an ID that begins with '${prefix}'.`,
    param,
    reason: 'invalid_value',
  });
}

export const notFound = (kind: ObjectKind, id: string): GatewayError =>
  new GatewayError('NOT_FOUND', { message: `No ${kind.replace('_', ' ')} found with id '${id}'.` });
