import type { Subgraph } from '../subgraph.ts';
import { accessPolicy } from './access-policy/resource.ts';
import { apiKey } from './api-key/resource.ts';
import { bundle } from './bundle/resource.ts';
import { installation } from './installation/resource.ts';
import { invite } from './invite/resource.ts';
import { member } from './member/resource.ts';
import { organisation } from './organisation/resource.ts';
import { organisationSwitch } from './organisation-switch/resource.ts';
import { role } from './role/resource.ts';
import { scimGroup } from './scim-group/resource.ts';
import { scimMapping } from './scim-mapping/resource.ts';
import { scimUser } from './scim-user/resource.ts';
import { scope } from './scope/resource.ts';
import { serviceAccount } from './service-account/resource.ts';
import { signIn } from './sign-in/resource.ts';
import { signInLink } from './sign-in-link/resource.ts';
import { tenant } from './tenant/resource.ts';
import { user } from './user/resource.ts';
import { viewer } from './viewer/resource.ts';
import { workspace } from './workspace/resource.ts';

export const identity: Subgraph = {
  name: 'identity',
  resources: [
    tenant,
    organisation,
    organisationSwitch,
    workspace,
    user,
    invite,
    member,
    scimUser,
    scimGroup,
    scimMapping,
    serviceAccount,
    role,
    accessPolicy,
    apiKey,
    bundle,
    scope,
    signIn,
    signInLink,
    viewer,
    installation,
  ],
};
