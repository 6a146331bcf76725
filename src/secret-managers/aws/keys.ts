import type { AwsKeys } from '../../providers/index.ts';
import type { SecretRequest } from '../manager.ts';
import { assumeRole } from './sts.ts';

/** The key pair with which a reference asks, as its auth config says. */
export async function keysFor(request: SecretRequest, region: string): Promise<AwsKeys> {
  const { auth, identity, own } = request;
  if (auth.aws_auth_type === 'accessKey')
    return { id: auth.aws_access_key_id ?? '', secret: auth.aws_secret_access_key ?? '', session: undefined };
  const keys = identity.awsKeys ?? (await own.awsKeys(region));
  return auth.aws_role_arn === undefined
    ? keys
    : assumeRole(keys, auth.aws_role_arn, auth.aws_external_id, { ...request, region });
}
