import { shownRateLimits, shownUsageLimits } from '../../limits/shown.ts';
import type { Resolvers } from '../resolvers.generated.ts';
import { updateOrganisationLimits } from './limits.ts';
import { limitOwner } from './model.ts';
import { ownOrganisation } from './service.ts';
import { shownSettings, updateOrganisationSettings } from './settings.ts';

export const resolvers = {
  Query: { organisation: (_parent, _args, context) => ownOrganisation(context) },
  Mutation: {
    updateOrganisationSettings: (_parent, { input }, context) => updateOrganisationSettings(context, input),
    updateOrganisationLimits: (_parent, { input }, context) => updateOrganisationLimits(context, input),
  },
  Organisation: {
    id: (organisation) => organisation._id,
    settings: (organisation) => shownSettings(organisation),
    usageLimits: (organisation, _args, context) =>
      shownUsageLimits(context, limitOwner(organisation), organisation),
    rateLimits: (organisation) => shownRateLimits(organisation),
  },
} satisfies Resolvers;
