import type { Resolvers } from '../resolvers.generated.ts';
import { createGuardrail, createOrganisationGuardrail } from './create.ts';
import { latestGuardrailVersions } from './loaders.ts';
import { checkKinds, deleteGuardrail, getGuardrail, listGuardrails } from './service.ts';
import { shownActions, shownChecks } from './shown.ts';
import { restoreGuardrailVersion, updateGuardrail } from './update.ts';
import { usersOf } from './uses.ts';
import { listGuardrailVersions } from './versions.ts';

export const resolvers = {
  Query: {
    guardrail: (_parent, { id }, context) => getGuardrail(context, id, 'any'),
    guardrails: (_parent, args, context) => listGuardrails(context, args, 'any'),
    organisationGuardrail: (_parent, { id }, context) => getGuardrail(context, id, 'organisation'),
    organisationGuardrails: (_parent, args, context) => listGuardrails(context, args, 'organisation'),
    guardrailVersions: (_parent, args, context) => listGuardrailVersions(context, args),
    guardrailChecks: () => checkKinds(),
  },
  Mutation: {
    createGuardrail: (_parent, { input }, context) => createGuardrail(context, input),
    updateGuardrail: (_parent, { id, input }, context) => updateGuardrail(context, id, input, 'any'),
    restoreGuardrailVersion: (_parent, { id, versionId }, context) =>
      restoreGuardrailVersion(context, id, versionId),
    deleteGuardrail: (_parent, { id }, context) => deleteGuardrail(context, id, 'any'),
    createOrganisationGuardrail: (_parent, { input }, context) => createOrganisationGuardrail(context, input),
    updateOrganisationGuardrail: (_parent, { id, input }, context) =>
      updateGuardrail(context, id, input, 'organisation'),
    deleteOrganisationGuardrail: (_parent, { id }, context) => deleteGuardrail(context, id, 'organisation'),
  },
  Guardrail: {
    id: (guardrail) => guardrail._id,
    workspace: ({ workspaceId }) => (workspaceId === null ? null : { id: workspaceId }),
    owner: ({ ownerId }) => ({ id: ownerId }),
    checks: ({ _id, checks }, _args, { secrets }) => shownChecks(checks, secrets, _id),
    actions: ({ actions }) => shownActions(actions),
    usedBy: (guardrail, _args, context) => usersOf(context).load(guardrail),
    versions: (guardrail, { limit }, context) => latestGuardrailVersions(context).load({ guardrail, limit }),
  },
  GuardrailVersion: {
    id: (version) => version._id,
    checks: ({ guardrailId, checks }, _args, { secrets }) => shownChecks(checks, secrets, guardrailId),
    actions: ({ actions }) => shownActions(actions),
  },
} satisfies Resolvers;
