import {
  assumeRoleForm,
  roleKeysIn,
  signedRoleRequest,
  tokenServiceOf,
} from '../../providers/credentials/aws/sts.ts';
import { type Expiring, expiringCache } from '../../providers/credentials/expiring-cache.ts';
import type { AwsKeys } from '../../providers/index.ts';
import { requireServing } from '../ask.ts';
import type { SecretRequest } from '../manager.ts';
import { SecretProblem } from '../problem.ts';

export type AwsAsk = Pick<SecretRequest, 'ask' | 'identity'> & { region: string };

const issued = expiringCache<AwsKeys>();

/** Keys of a role for which other keys are good. */
export function assumeRole(
  own: AwsKeys,
  role: string,
  externalId: string | undefined,
  at: AwsAsk,
): Promise<AwsKeys> {
  const form = assumeRoleForm(role, externalId);
  const origin = at.identity.cloud.aws.sts ?? tokenServiceOf(at.region);
  return issued(JSON.stringify([own, form, at.region, origin]), () => ask(form, origin, own, at));
}

async function ask(form: string, origin: string, own: AwsKeys, at: AwsAsk): Promise<Expiring<AwsKeys>> {
  const answer = await at.ask(await signedRoleRequest(form, own, at.region, origin));
  requireServing(answer, "AWS's token service");
  if (answer.status !== 200)
    throw new SecretProblem(
      'denied',
      `AWS did not let the gateway take on the role (status ${answer.status}).`,
    );
  const keys = roleKeysIn('AssumeRole', answer.json);
  if (keys) return keys;
  throw new SecretProblem('unreadable', "AWS's token service answered no keys.");
}
