import { builtInRoles } from '../../../auth/index.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { createRole, deleteRole, getRole, listRoles, updateRole } from './service.ts';

export const resolvers = {
  Query: {
    role: (_parent, { id }, context) => getRole(context, id),
    roles: (_parent, args, context) => listRoles(context, args),
  },
  Mutation: {
    createRole: (_parent, { input }, context) => createRole(context, input),
    updateRole: (_parent, { id, input }, context) => updateRole(context, id, input),
    deleteRole: (_parent, { id }, context) => deleteRole(context, id),
  },
  Role: {
    id: (role) => role._id,
    builtIn: (role) => builtInRoles.has(role._id),
  },
} satisfies Resolvers;
