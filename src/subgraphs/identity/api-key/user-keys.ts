import type { GraphContext } from '../../context.ts';
import { type ApiKeyDocument, apiKeyModel } from './model.ts';

type Owner = Pick<ApiKeyDocument, 'organisationId'> & { userId: string; workspaceId?: string };

/** Ends the keys that stand for a user, in one workspace or in all; they stop working at once. */
export async function deleteUserKeys(context: GraphContext, owner: Owner): Promise<void> {
  await apiKeyModel(context.db).deleteMany({ ...owner, type: 'workspace-user' });
  await context.changes.publish('api_key');
}
