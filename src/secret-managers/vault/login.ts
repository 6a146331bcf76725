import { isObject } from '../../lib/json.ts';
import { expiringCache } from '../../providers/credentials/expiring-cache.ts';
import { requireServing } from '../ask.ts';
import { tokenIn } from '../identity.ts';
import type { SecretRequest } from '../manager.ts';
import { SecretProblem } from '../problem.ts';

const issued = expiringCache<string>();

/** A token for Vault, and whether it came from a login that may be made anew. */
export type VaultToken = { token: string; forget: (() => void) | null };

/** The token of a reference: its own, or that of a login with AppRole or as a pod of Kubernetes. */
export async function tokenFor(request: SecretRequest, headers: Record<string, string>): Promise<VaultToken> {
  const { auth, identity } = request;
  if (auth.vault_auth_type === 'token') return { token: auth.vault_token ?? '', forget: null };
  const [method, body] =
    auth.vault_auth_type === 'approle'
      ? ['approle', { role_id: auth.vault_role_id, secret_id: auth.vault_secret_id }]
      : [
          'kubernetes',
          {
            role: auth.vault_role,
            jwt: await tokenIn(identity.kubernetesTokenFile, "pod's service account"),
          },
        ];
  const secret = JSON.stringify([auth.vault_addr, auth.vault_namespace, method, body]);
  const token = await issued(secret, () => logIn(request, headers, method, JSON.stringify(body)));
  return { token, forget: () => issued.forget(secret) };
}

async function logIn(
  { auth, ask }: SecretRequest,
  headers: Record<string, string>,
  method: string,
  body: string,
): Promise<{ value: string; expiresAt: number }> {
  const answer = await ask({
    method: 'POST',
    url: `${auth.vault_addr?.replace(/\/+$/, '')}/v1/auth/${method}/login`,
    headers: { ...headers, 'content-type': 'application/json' },
    body,
  });
  requireServing(answer, 'Vault');
  if (answer.status !== 200)
    throw new SecretProblem('denied', `Vault refused the login with ${method} (status ${answer.status}).`);
  const given = isObject(answer.json) && isObject(answer.json.auth) ? answer.json.auth : {};
  if (typeof given.client_token !== 'string')
    throw new SecretProblem('unreadable', 'Vault answered no token.');
  const seconds = Number(given.lease_duration);
  return {
    value: given.client_token,
    expiresAt: Date.now() + (Number.isFinite(seconds) ? seconds : 0) * 1000,
  };
}
