import type { Subgraph } from '../subgraph.ts';
import { apiKey } from './api-key/index.ts';
import { invite } from './invite/index.ts';
import { member } from './member/index.ts';
import { organisation } from './organisation/index.ts';
import { user } from './user/index.ts';
import { workspace } from './workspace/index.ts';

export const identity: Subgraph = {
  name: 'identity',
  resources: [organisation, workspace, user, invite, member, apiKey],
};
