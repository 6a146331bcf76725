import type { Resolvers } from '../resolvers.generated.ts';
import { userById } from '../user/index.ts';
import { listSignIns, revokeSignIn } from './service.ts';

export const resolvers = {
  Query: { signIns: (_parent, args, context) => listSignIns(context, args) },
  Mutation: { revokeSignIn: (_parent, { id }, context) => revokeSignIn(context, id) },
  SignIn: {
    id: (signIn) => signIn._id,
    user: (signIn, _args, context) => (signIn.userId ? userById(context).load(signIn.userId) : null),
    isCurrent: (signIn, _args, { principal }) => principal?.signIn?.id === signIn._id,
  },
} satisfies Resolvers;
