import type { Principal } from '../../auth/index.ts';
import type { AccountRecord, Directory, WorkspaceRecord } from '../../directory/memory.ts';
import { GatewayError } from '../../errors/index.ts';
import { grantsOn, rightsIn } from '../grants.ts';
import { whenKnown } from './verifier.ts';

/** Ids and slugs are shorter: no workspace has a longer name, and such a name is not worth remembering. */
const MAX_NAME = 100;

/**
 * The workspace that a service account's request is about: the one it asks for by id or slug, else the only one that it
 * has roles on; null for the whole tenant.
 */
export function workspaceOf(
  account: AccountRecord,
  asked: string | null,
  workspaces: Directory['workspaces'],
): WorkspaceRecord | null | Promise<WorkspaceRecord | null> {
  const name = asked ?? onlyWorkspaceOf(account);
  if (name === null) return null;
  const found = name.length > MAX_NAME ? null : workspaces.get(`${account.organisationId}/${name}`);
  return whenKnown(found, (workspace) => {
    // The same answer for a workspace that does not exist and for one of another tenant.
    if (!workspace) {
      throw new GatewayError('UNAUTHENTICATED', {
        message:
          asked === null
            ? 'The service account has no role in this tenant.'
            : 'The access token is for another tenant than the workspace in x-gateway-workspace-id.',
      });
    }
    if (grantsOn(account, workspace.id).length > 0) return workspace;
    throw new GatewayError('FORBIDDEN', {
      message: 'The service account has no role on the workspace in x-gateway-workspace-id.',
    });
  });
}

/** The only workspace that the account has roles on; null when a role on the whole tenant reaches further. */
function onlyWorkspaceOf({ grants }: AccountRecord): string | null {
  const names = new Set(grants.map(({ workspaceId }) => workspaceId));
  if (names.has(null)) return null;
  const [only, ...others] = names;
  if (others.length === 0) return only ?? null;
  throw new GatewayError('FORBIDDEN', {
    message: 'The service account has roles on several workspaces: name one in x-gateway-workspace-id.',
  });
}

/** Whom an access token stands for in a workspace, or in the whole tenant. */
export function principalOf(account: AccountRecord, workspace: WorkspaceRecord | null): Principal {
  const workspaceId = workspace?.id ?? null;
  return {
    kind: 'service-account',
    id: account.clientId,
    name: account.name,
    organisationId: account.organisationId,
    workspaceId,
    userId: null,
    tsgId: account.tsgId,
    ...rightsIn(account, workspace),
    metadata: workspace?.metadata ?? {},
  };
}
