import type { GraphQLResolveInfo, SelectionNode } from 'graphql';

/** Whether one of the fields is asked for anywhere below the field that is resolved. */
export function asksFor(
  { fieldNodes, fragments }: Pick<GraphQLResolveInfo, 'fieldNodes' | 'fragments'>,
  names: readonly string[],
): boolean {
  const isAsked = (node: SelectionNode): boolean => {
    if (node.kind === 'FragmentSpread') {
      return fragments[node.name.value]?.selectionSet.selections.some(isAsked) ?? false;
    }
    if (node.kind === 'Field' && names.includes(node.name.value)) return true;
    return node.selectionSet?.selections.some(isAsked) ?? false;
  };
  return fieldNodes.some(isAsked);
}
