import type { Resolvers } from '../resolvers.generated.ts';
import { createSavedView, deleteSavedView, listSavedViews, updateSavedView } from './service.ts';

export const resolvers = {
  Query: { savedViews: (_parent, args, context) => listSavedViews(context, args) },
  Mutation: {
    createSavedView: (_parent, { input }, context) => createSavedView(context, input),
    updateSavedView: (_parent, { id, input }, context) => updateSavedView(context, id, input),
    deleteSavedView: (_parent, { id }, context) => deleteSavedView(context, id),
  },
  SavedView: { id: (view) => view._id },
} satisfies Resolvers;
