import { referred } from '../../loading.ts';
import { organisationById } from '../organisation/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { emailOf, viewer, workspacesOf } from './service.ts';

export const resolvers = {
  Query: { viewer: (_parent, _args, context) => viewer(context) },
  Viewer: {
    email: (principal, _args, context) => emailOf(principal, context),
    organisation: async ({ organisationId }, _args, context) =>
      referred(await organisationById(context).load(organisationId)),
    workspaces: (principal, { limit }, context) => workspacesOf(principal, limit, context),
    permissions: ({ scopes }) => [...scopes].sort(),
    signInEndsAt: ({ signIn }) => signIn?.endsAt ?? null,
  },
  ViewerWorkspace: { id: (workspace) => workspace._id },
} satisfies Resolvers;
