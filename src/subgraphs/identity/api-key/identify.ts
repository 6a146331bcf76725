import { requireScope } from '../../../auth/index.ts';
import { GatewayError } from '../../../errors/index.ts';
import type { GraphContext } from '../../context.ts';
import type { IdentifyApiKeyInput } from '../../types.generated.ts';
import { visibleKeys } from './loaders.ts';
import { type ApiKeyDocument, apiKeyModel } from './model.ts';
import { transitionEnd } from './replace-secret.ts';
import { requireKeyScope } from './scopes.ts';
import { anyKeyType } from './service.ts';

/** Finds the key that a secret belongs to, among those that the caller reaches. */
export async function identifyApiKey(context: GraphContext, { secret }: IdentifyApiKeyInput) {
  const principal = requireScope(context.principal, anyKeyType('read'));
  const hash = context.secrets.hash(secret.trim());
  const apiKey = await apiKeyModel(context.db)
    .findOne({
      $and: [{ $or: [{ secretHash: hash }, { 'previousSecret.hash': hash }] }, visibleKeys(principal)],
    })
    .lean<ApiKeyDocument>();
  if (!apiKey) {
    await context.throttle.slow({ door: 'identify', address: context.request.clientIp });
    throw new GatewayError('NOT_FOUND', {
      message: 'This is no secret of a key that the credential reaches.',
    });
  }
  requireKeyScope(principal, apiKey.type, 'read');
  const now = context.now();
  const isCurrent = apiKey.secretHash === hash;
  const isOver = apiKey.expiresAt !== null && apiKey.expiresAt <= now;
  const works = isCurrent ? !isOver : transitionEnd(apiKey, now) !== null;
  return { id: apiKey._id, apiKey, isCurrent, works };
}
