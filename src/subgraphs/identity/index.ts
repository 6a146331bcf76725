import type { Subgraph } from '../subgraph.ts';
import { accessPolicy } from './access-policy/index.ts';
import { apiKey } from './api-key/index.ts';
import { invite } from './invite/index.ts';
import { member } from './member/index.ts';
import { organisation } from './organisation/index.ts';
import { role } from './role/index.ts';
import { serviceAccount } from './service-account/index.ts';
import { tenant } from './tenant/index.ts';
import { user } from './user/index.ts';
import { workspace } from './workspace/index.ts';

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
