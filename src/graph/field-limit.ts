import {
  type ASTVisitor,
  GraphQLError,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
  type ValidationContext,
} from 'graphql';

/** Fields of one operation, fragments counted wherever they are spread: several screens' worth. */
const maxFields = 500;
/** Root fields of one operation: each is a read of its own. */
const maxRootFields = 20;

/** Refuses operations that ask for the same thing over and over under other names. */
export function fieldLimit(context: ValidationContext): ASTVisitor {
  const fragments = new Map<string, number>();

  function fieldsOf(selection: SelectionNode): number {
    if (selection.kind === Kind.FIELD) return 1 + count(selection.selectionSet);
    if (selection.kind === Kind.INLINE_FRAGMENT) return count(selection.selectionSet);
    const name = selection.name.value;
    if (!fragments.has(name)) {
      // Ends fragments that contain themselves, which are another rule's business.
      fragments.set(name, 0);
      fragments.set(name, count(context.getFragment(name)?.selectionSet));
    }
    return fragments.get(name) ?? 0;
  }

  const count = (set: SelectionSetNode | undefined): number =>
    (set?.selections ?? []).reduce((sum, selection) => sum + fieldsOf(selection), 0);

  return {
    OperationDefinition(operation) {
      const report = (message: string) =>
        context.reportError(new GraphQLError(message, { nodes: operation }));
      if (count(operation.selectionSet) > maxFields)
        report(`The operation selects more than ${maxFields} fields.`);
      if (rootFields(context, operation.selectionSet) > maxRootFields) {
        report(`The operation selects more than ${maxRootFields} root fields.`);
      }
    },
  };
}

/** Root fields, those in fragments included; a fragment at the root that contains itself is another rule's business. */
function rootFields(context: ValidationContext, set: SelectionSetNode, seen: readonly string[] = []): number {
  return set.selections.reduce((sum, selection) => {
    if (selection.kind === Kind.FIELD) return sum + 1;
    if (selection.kind === Kind.INLINE_FRAGMENT)
      return sum + rootFields(context, selection.selectionSet, seen);
    const name = selection.name.value;
    const fragment = seen.includes(name) ? undefined : context.getFragment(name);
    return sum + (fragment ? rootFields(context, fragment.selectionSet, [...seen, name]) : 0);
  }, 0);
}
