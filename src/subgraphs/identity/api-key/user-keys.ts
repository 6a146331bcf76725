import { uuid } from '../../../lib/ids.ts';
import { maskSecret } from '../../../storage/secrets.ts';
import type { GraphContext } from '../../context.ts';
import { type ApiKeyDocument, apiKeyModel } from './model.ts';

type Owner = Pick<ApiKeyDocument, 'organisationId'> & { userId: string; workspaceId?: string };

type Place = Pick<Owner, 'organisationId'> & {
  userId: string | { $in: string[] };
  workspaceId?: string | { $nin: string[] };
};

/** Ends the keys that stand for users, in the workspaces named or in all; they stop working at once. */
export async function deleteUserKeys(context: GraphContext, owner: Place): Promise<void> {
  await apiKeyModel(context.db).deleteMany({ ...owner, type: 'workspace-user' });
  await context.changes.publish('api_key');
}

type UserKey = Owner & Pick<ApiKeyDocument, 'name' | 'scopes'> & { workspaceId: string };

/** Makes a key of a user under this secret, unless it is there, and answers its id. The caller publishes the change. */
export async function ensureUserKey(context: GraphContext, secret: string, key: UserKey): Promise<string> {
  const { _id } = await apiKeyModel(context.db)
    .findOneAndUpdate(
      { secretHash: context.secrets.hash(secret) },
      {
        $setOnInsert: {
          ...key,
          _id: uuid(),
          type: 'workspace-user',
          secretMask: maskSecret(secret),
          creationMode: 'auto',
        },
      },
      { upsert: true, returnDocument: 'after' },
    )
    .orFail()
    .lean<ApiKeyDocument>();
  return _id;
}
