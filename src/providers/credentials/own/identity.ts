import type { CloudIdentity } from '../../../settings/index.ts';
import type { AwsKeys, OwnIdentity } from '../../identity.ts';
import { expiringCache } from '../expiring-cache.ts';
import { awsKeys } from './aws.ts';
import { entraTokenFor, managedToken } from './azure.ts';

/** Who this process is in the clouds that these places speak for; nobody is asked before it is needed. */
export function createOwnIdentity({ azure, aws }: CloudIdentity): OwnIdentity {
  const tokens = expiringCache<string>();
  const keys = expiringCache<AwsKeys>();
  return {
    managedToken: (resource, clientId) =>
      tokens(JSON.stringify(['managed', resource, clientId]), () => managedToken(azure, resource, clientId)),
    entraToken: (application, scope) =>
      tokens(JSON.stringify(['entra', application, scope]), () => entraTokenFor(azure, application, scope)),
    awsKeys: (region) => keys(region, () => awsKeys(aws, region)),
  };
}
