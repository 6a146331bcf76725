import { GatewayError } from '../../../errors/index.ts';
import type { AwsKeys } from '../../identity.ts';
import { type Expiring, expiringCache } from '../expiring-cache.ts';
import { sign } from './sign.ts';

/** Seconds that keys of a role are good for; every role allows this much. */
const DURATION = 3600;

const issued = expiringCache<AwsKeys>();

/** The keys with which a role acts, from AWS's token service. */
export function roleKeys(
  own: AwsKeys,
  role: string,
  externalId: string | undefined,
  region: string,
  send: typeof fetch,
): Promise<AwsKeys> {
  const secret = JSON.stringify([own, role, externalId ?? null, region]);
  return issued(secret, () => assume(own, role, externalId, region, send));
}

async function assume(
  own: AwsKeys,
  role: string,
  externalId: string | undefined,
  region: string,
  send: typeof fetch,
): Promise<Expiring<AwsKeys>> {
  const form = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: 'sluice',
    DurationSeconds: String(DURATION),
    ...(externalId !== undefined && { ExternalId: externalId }),
  });
  const request = {
    method: 'POST',
    origin: `https://sts.${region}.amazonaws.com`,
    path: '/',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: Buffer.from(form.toString()),
  };
  const headers = { ...request.headers, ...(await sign(request, own, region, 'sts')) };
  const answer = await send(request.origin + request.path, {
    method: 'POST',
    headers,
    body: request.body,
  }).catch((cause: unknown) => {
    throw new GatewayError('PROVIDER_UNREACHABLE', {
      message: "AWS's token service cannot be reached.",
      cause,
    });
  });
  const keys = keysOf(await answer.json().catch(() => null));
  if (!answer.ok || keys === null)
    throw new GatewayError('VALIDATION_FAILED', {
      message: `AWS did not let the key pair take on the role (status ${answer.status}).`,
      param: 'aws_role_arn',
    });
  return { value: keys, expiresAt: Date.now() + DURATION * 1000 };
}

type Assumed = {
  AssumeRoleResponse?: {
    AssumeRoleResult?: { Credentials?: Record<'AccessKeyId' | 'SecretAccessKey' | 'SessionToken', string> };
  };
};

function keysOf(answer: Assumed | null | unknown): AwsKeys | null {
  const keys = (answer as Assumed | null)?.AssumeRoleResponse?.AssumeRoleResult?.Credentials;
  if (!keys?.AccessKeyId || !keys.SecretAccessKey) return null;
  return { id: keys.AccessKeyId, secret: keys.SecretAccessKey, session: keys.SessionToken };
}
