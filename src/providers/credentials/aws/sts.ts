import { isObject } from '../../../lib/json.ts';
import type { AwsKeys } from '../../identity.ts';
import type { Expiring } from '../expiring-cache.ts';
import { sign } from './sign.ts';

/** Seconds that keys of a role are good for; every role allows this much. */
const DURATION = 3600;

type RoleAction = 'AssumeRole' | 'AssumeRoleWithWebIdentity';

/** AWS's token service in a region. */
export const tokenServiceOf = (region: string): string => `https://sts.${region}.amazonaws.com`;

/** What the token service is asked for the keys of a role, as a form. `proof`: what goes along. */
export const roleForm = (action: RoleAction, role: string, proof: Record<string, string>): string =>
  new URLSearchParams({
    Action: action,
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: 'sluice',
    DurationSeconds: String(DURATION),
    ...proof,
  }).toString();

/** The form for a role that is taken on with other keys. */
export const assumeRoleForm = (role: string, externalId: string | undefined): string =>
  roleForm('AssumeRole', role, externalId === undefined ? {} : { ExternalId: externalId });

/** The request of such a form, signed with those keys. `origin`: of the token service. */
export async function signedRoleRequest(form: string, own: AwsKeys, region: string, origin: string) {
  const headers = { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' };
  const request = { method: 'POST', origin, path: '/', headers, body: Buffer.from(form) };
  return {
    url: `${origin}/`,
    method: 'POST' as const,
    headers: { ...headers, ...(await sign(request, own, region, 'sts')) },
    body: form,
  };
}

/** The keys in an answer of the token service; null where there are none. */
export function roleKeysIn(action: RoleAction, answer: unknown): Expiring<AwsKeys> | null {
  const found = [`${action}Response`, `${action}Result`, 'Credentials'].reduce(
    (value: unknown, name) => (isObject(value) ? value[name] : undefined),
    answer,
  );
  const { AccessKeyId: id, SecretAccessKey: secret, SessionToken: session } = isObject(found) ? found : {};
  if (typeof id !== 'string' || typeof secret !== 'string' || id === '' || secret === '') return null;
  return {
    value: { id, secret, session: typeof session === 'string' ? session : undefined },
    expiresAt: Date.now() + DURATION * 1000,
  };
}
