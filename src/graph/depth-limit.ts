import {
  type ASTVisitor,
  GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

/** Deep enough for the introspection query and every screen; types that contain themselves end here. */
export const maxDepth = 20;

/** Refuses operations that nest selections deeper than any honest caller needs. */
export function depthLimit(context: ValidationContext): ASTVisitor {
  const fragments = new Map<string, number>();

  function depthBelow(selection: SelectionNode): number {
    if (selection.kind === Kind.FIELD) return 1 + depthOf(selection.selectionSet);
    if (selection.kind === Kind.INLINE_FRAGMENT) return depthOf(selection.selectionSet);
    const name = selection.name.value;
    if (!fragments.has(name)) {
      // Ends fragments that contain themselves, which are another rule's business.
      fragments.set(name, 0);
      fragments.set(name, depthOf(context.getFragment(name)?.selectionSet));
    }
    return fragments.get(name) ?? 0;
  }

  const depthOf = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((deepest, selection) => Math.max(deepest, depthBelow(selection)), 0);

  return {
    OperationDefinition(operation) {
      if (depthOf(operation.selectionSet) <= maxDepth) return;
      const message = `The operation nests more than ${maxDepth} levels of fields.`;
      context.reportError(new GraphQLError(message, { nodes: operation }));
    },
  };
}
