import type { Resolvers } from '../resolvers.generated.ts';
import {
  createServiceAccount,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  resetServiceAccountSecret,
  updateServiceAccount,
} from './service.ts';

export const resolvers = {
  Query: {
    serviceAccount: (_parent, { id }, context) => getServiceAccount(context, id),
    serviceAccounts: (_parent, args, context) => listServiceAccounts(context, args),
  },
  Mutation: {
    createServiceAccount: (_parent, { input }, context) => createServiceAccount(context, input),
    updateServiceAccount: (_parent, { id, input }, context) => updateServiceAccount(context, id, input),
    resetServiceAccountSecret: (_parent, { id }, context) => resetServiceAccountSecret(context, id),
    deleteServiceAccount: (_parent, { id }, context) => deleteServiceAccount(context, id),
  },
  ServiceAccount: {
    id: (account) => account._id,
    displayName: (account) => account.principal,
  },
} satisfies Resolvers;
