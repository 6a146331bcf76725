import { invalidInput } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import { isActive, userById } from '../user/index.ts';
import { memberModel } from './model.ts';

/**
 * Throws VALIDATION_FAILED, naming `input.userId`, unless a key of the workspace may stand for the user: a member of it,
 * or an owner or admin of the organisation, who reach every workspace.
 */
export async function requireWorkspaceUser(
  context: GraphContext,
  userId: string,
  workspaceId: string,
): Promise<void> {
  const user = await userById(context).load(userId);
  if (user && !isActive(user)) throw invalidInput('input.userId', 'input.userId names a deactivated user.');
  if (user && user.role !== 'member') return;
  const place = user && { organisationId: user.organisationId, workspaceId, userId };
  if (place && (await memberModel(context.db).exists(place))) return;
  throw invalidInput(
    'input.userId',
    'input.userId names neither a member of the workspace nor an owner or admin of the organisation.',
  );
}
