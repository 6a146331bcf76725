import { type ASTNode, type DirectiveNode, parse, print, visit } from 'graphql';

/** Where the rules of a field, argument or input member changed, one sentence each; what is new or gone is left out. */
export function changedRules(before: string, after: string): string[] {
  const old = rulesOf(before);
  return [...rulesOf(after)].flatMap(([coordinate, rules]) => {
    const was = old.get(coordinate);
    if (was === undefined || was === rules) return [];
    return [`${coordinate} had ${was || 'no rule'} and has ${rules || 'no rule'}.`];
  });
}

/** Directives by `Type.field.argument`, in one spelling. */
function rulesOf(sdl: string): Map<string, string> {
  const rules = new Map<string, string>();
  const path: string[] = [];
  const level = {
    enter: (node: ASTNode & { name: { value: string }; directives?: readonly DirectiveNode[] }) => {
      path.push(node.name.value);
      rules.set(path.join('.'), (node.directives ?? []).map(print).sort().join(' '));
    },
    leave: () => void path.pop(),
  };
  visit(parse(sdl, { noLocation: true }), {
    DirectiveDefinition: () => false,
    ObjectTypeDefinition: level,
    InterfaceTypeDefinition: level,
    InputObjectTypeDefinition: level,
    FieldDefinition: level,
    InputValueDefinition: level,
  });
  return rules;
}
