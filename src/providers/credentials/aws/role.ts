import { GatewayError } from '../../../errors/index.ts';
import type { AwsKeys } from '../../identity.ts';
import { type Expiring, expiringCache } from '../expiring-cache.ts';
import { assumeRoleForm, roleKeysIn, signedRoleRequest, tokenServiceOf } from './sts.ts';

const issued = expiringCache<AwsKeys>();

/** The keys with which a role acts, from AWS's token service. */
export function roleKeys(
  own: AwsKeys,
  role: string,
  externalId: string | undefined,
  region: string,
  send: typeof fetch,
): Promise<AwsKeys> {
  const form = assumeRoleForm(role, externalId);
  return issued(JSON.stringify([own, form, region]), () => assume(form, own, region, send));
}

async function assume(
  form: string,
  own: AwsKeys,
  region: string,
  send: typeof fetch,
): Promise<Expiring<AwsKeys>> {
  const { url, ...request } = await signedRoleRequest(form, own, region, tokenServiceOf(region));
  const answer = await send(url, request).catch((cause: unknown) => {
    throw new GatewayError('PROVIDER_UNREACHABLE', {
      message: "AWS's token service cannot be reached.",
      cause,
    });
  });
  const keys = roleKeysIn('AssumeRole', await answer.json().catch(() => null));
  if (answer.ok && keys) return keys;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `AWS did not let the key pair take on the role (status ${answer.status}).`,
    param: 'aws_role_arn',
  });
}
