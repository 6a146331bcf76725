import type { Resolvers } from '../../subgraph.ts';
import { workspaceById } from '../workspace/index.ts';
import { acceptInvite } from './accept.ts';
import { createInvite } from './create.ts';
import type { InviteDocument } from './model.ts';
import { deleteInvite, getInvite, listInvites, resendInvite } from './service.ts';
import { statusOf } from './status.ts';

export const resolvers: Resolvers = {
  Query: {
    invite: (_parent, { id }, context) => getInvite(context, id),
    invites: (_parent, args, context) => listInvites(context, args),
  },
  Mutation: {
    createInvite: (_parent, { input }, context) => createInvite(context, input),
    resendInvite: (_parent, { id }, context) => resendInvite(context, id),
    deleteInvite: (_parent, { id }, context) => deleteInvite(context, id),
    acceptInvite: (_parent, { input }, context) => acceptInvite(context, input),
  },
  Invite: {
    id: (invite: InviteDocument) => invite._id,
    status: (invite: InviteDocument, _args, context) => statusOf(invite, context.now()),
  },
  InviteWorkspace: {
    workspace: ({ workspaceId }: { workspaceId: string }, _args, context) =>
      workspaceById(context).load(workspaceId),
  },
};
