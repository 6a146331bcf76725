import type { Subgraph } from '../subgraph.ts';
import { accessPolicy } from './access-policy/resource.ts';
import { apiKey } from './api-key/resource.ts';
import { invite } from './invite/resource.ts';
import { member } from './member/resource.ts';
import { organisation } from './organisation/resource.ts';
import { role } from './role/resource.ts';
import { serviceAccount } from './service-account/resource.ts';
import { tenant } from './tenant/resource.ts';
import { user } from './user/resource.ts';
import { workspace } from './workspace/resource.ts';

export const identity: Subgraph = {
  name: 'identity',
  resources: [
    tenant,
    organisation,
    workspace,
    user,
    invite,
    member,
    serviceAccount,
    role,
    accessPolicy,
    apiKey,
  ],
};
