import { type GraphQLSchema, isInputObjectType, isObjectType } from 'graphql';
import { type Constraint, readRule } from './read-rule.ts';

type Described = Parameters<typeof readRule>[2] & { description?: string | null };

/** Adds the rules to the descriptions: an explorer shows descriptions, while introspection leaves directives out. */
export function describeRules(schema: GraphQLSchema): void {
  const add = (element: Described) => {
    const texts = [element.description, ...rulesOf(schema, element)].filter(Boolean);
    if (texts.length > 0) element.description = texts.join('\n\n');
  };
  for (const type of Object.values(schema.getTypeMap())) {
    if (type.name.startsWith('__')) continue;
    if (isInputObjectType(type)) Object.values(type.getFields()).forEach(add);
    if (!isObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      add(field);
      field.args.forEach(add);
    }
  }
}

function rulesOf(schema: GraphQLSchema, element: Described): string[] {
  const access = readRule(schema, 'access', element);
  const open = readRule(schema, 'public', element);
  const constraint = readRule(schema, 'constraint', element);
  const audit = readRule(schema, 'audit', element);
  const constant = readRule(schema, 'constant', element);
  return [
    ...(access ? [`Needs the scope ${access.anyOf.map(code).join(' or ')}.`] : []),
    ...(readRule(schema, 'authenticated', element) ? ['Needs a valid credential.'] : []),
    ...(open ? [`Needs no credential: ${open.reason}`] : []),
    ...(constraint ? [boundsOf(constraint)] : []),
    ...(audit ? [`Recorded in the audit trail as ${code(audit.action)}.`] : []),
    ...(constant ? [`Always ${code(constant.value)}.`] : []),
    ...(readRule(schema, 'secret', element) ? ['Secret: no log ever shows it.'] : []),
  ];
}

const boundsOf = (constraint: Constraint): string =>
  `Bounds: ${Object.entries(constraint)
    .map(([name, value]) => `${name} ${code(String(value))}`)
    .join(', ')}.`;

const code = (text: string): string => `\`${text}\``;
