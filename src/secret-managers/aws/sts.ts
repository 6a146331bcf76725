import { isObject } from '../../lib/json.ts';
import { sign } from '../../providers/credentials/aws/sign.ts';
import { type Expiring, expiringCache } from '../../providers/credentials/expiring-cache.ts';
import type { AwsKeys } from '../../providers/index.ts';
import { requireServing } from '../ask.ts';
import type { SecretRequest } from '../manager.ts';
import { SecretProblem } from '../problem.ts';

/** Seconds that keys of a role are good for; every role allows this much. */
const DURATION = 3600;

export type AwsAsk = Pick<SecretRequest, 'ask' | 'identity'> & { region: string };

const issued = expiringCache<AwsKeys>();

/** Keys of a role for which other keys are good. */
export function assumeRole(
  own: AwsKeys,
  role: string,
  externalId: string | undefined,
  at: AwsAsk,
): Promise<AwsKeys> {
  const form = new URLSearchParams({
    Action: 'AssumeRole',
    Version: '2011-06-15',
    RoleArn: role,
    RoleSessionName: 'sluice',
    DurationSeconds: String(DURATION),
    ...(externalId !== undefined && { ExternalId: externalId }),
  }).toString();
  const origin = at.identity.cloud.aws.sts ?? `https://sts.${at.region}.amazonaws.com`;
  return issued(JSON.stringify([own, form, at.region, origin]), () => ask(form, origin, own, at));
}

async function ask(form: string, origin: string, own: AwsKeys, at: AwsAsk): Promise<Expiring<AwsKeys>> {
  const request = {
    method: 'POST',
    origin,
    path: '/',
    headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
    body: Buffer.from(form),
  } as const;
  const headers = { ...request.headers, ...(await sign(request, own, at.region, 'sts')) };
  const answer = await at.ask({ method: 'POST', url: `${origin}/`, headers, body: form });
  requireServing(answer, "AWS's token service");
  if (answer.status !== 200)
    throw new SecretProblem(
      'denied',
      `AWS did not let the gateway take on the role (status ${answer.status}).`,
    );
  return { value: keysIn(answer.json), expiresAt: Date.now() + DURATION * 1000 };
}

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

function keysIn(answer: unknown): AwsKeys {
  const keys = memberOf(memberOf(memberOf(answer, 'AssumeRoleResponse'), 'AssumeRoleResult'), 'Credentials');
  const { AccessKeyId: id, SecretAccessKey: secret, SessionToken: session } = isObject(keys) ? keys : {};
  if (typeof id === 'string' && typeof secret === 'string')
    return { id, secret, session: typeof session === 'string' ? session : undefined };
  throw new SecretProblem('unreadable', "AWS's token service answered no keys.");
}
