import { builtInRoles } from '../../../auth/index.ts';
import type { GraphContext } from '../../context.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { type UserDocument, userById } from '../user/index.ts';
import { workspaceById } from '../workspace/index.ts';
import type { MemberDocument } from './model.ts';
import { ownRoleOf } from './roles.ts';
import { createMembers, deleteMember, getMember, listMembers, updateMember } from './service.ts';

const userOf = (member: MemberDocument, context: GraphContext) => userById(context).load(member.userId);

const ofUser =
  <Name extends 'email' | 'firstName' | 'lastName' | 'role'>(name: Name) =>
  async (member: MemberDocument, _args: unknown, context: GraphContext) =>
    (await userOf(member, context))?.[name];

/** Owners and admins of the organisation are administrators of every workspace. */
const scopesOf = (user: UserDocument | null, { role }: MemberDocument) => [
  ...(builtInRoles.get(`workspace_${user && user.role !== 'member' ? 'admin' : role}`) ?? []),
];

export const resolvers = {
  Query: {
    member: (_parent, name, context) => getMember(context, name),
    members: (_parent, args, context) => listMembers(context, args),
  },
  Mutation: {
    createMembers: (_parent, { workspaceId, input }, context) => createMembers(context, workspaceId, input),
    updateMember: (_parent, { input, ...name }, context) => updateMember(context, name, input),
    deleteMember: (_parent, name, context) => deleteMember(context, name),
  },
  Member: {
    id: (member) => member._id,
    ownRole: ownRoleOf,
    user: (member, _args, context) => userOf(member, context),
    firstName: ofUser('firstName'),
    lastName: ofUser('lastName'),
    email: ofUser('email'),
    orgRole: ofUser('role'),
    workspace: ({ workspaceId }, _args, context) => workspaceById(context).load(workspaceId),
    scopes: async (member, _args, context) => scopesOf(await userOf(member, context), member),
  },
} satisfies Resolvers;
