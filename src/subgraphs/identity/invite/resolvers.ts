import type { Resolvers } from '../resolvers.generated.ts';
import { userById } from '../user/index.ts';
import { workspaceById } from '../workspace/index.ts';
import { acceptInvite } from './accept.ts';
import { createInvite } from './create.ts';
import { deleteInvite, getInvite, listInvites, resendInvite } from './service.ts';
import { statusOf } from './status.ts';

export const resolvers = {
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
    id: (invite) => invite._id,
    inviter: ({ invitedBy }, _args, context) => userById(context).load(invitedBy),
    status: (invite, _args, context) => statusOf(invite, context.now()),
  },
  InviteWorkspace: {
    workspace: ({ workspaceId }, _args, context) => workspaceById(context).load(workspaceId),
  },
} satisfies Resolvers;
