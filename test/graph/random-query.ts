import {
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql';

/** Mulberry32: the same numbers for the same seed. */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** A query of one root field over the schema, valid as GraphQL though not always to the resolvers. */
export function randomQuery(schema: GraphQLSchema, seed: number, ids: readonly string[]): string {
  const next = random(seed);
  const chance = (share: number) => next() < share;
  const pick = <T>(items: readonly T[]): T => {
    const item = items[Math.floor(next() * items.length)];
    if (item === undefined) throw new Error('There is nothing to pick from.');
    return item;
  };

  function literal(type: GraphQLInputType): string {
    if (isNonNullType(type)) return literal(type.ofType);
    if (isListType(type)) return `[${literal(type.ofType)}]`;
    if (isEnumType(type)) return pick(type.getValues()).name;
    if (isInputObjectType(type)) {
      const fields = Object.values(type.getFields()).filter(
        (field) => isRequiredInputField(field) || chance(0.2),
      );
      return `{${fields.map((field) => `${field.name}: ${literal(field.type)}`).join(' ')}}`;
    }
    switch (type.name) {
      case 'Int':
        return pick(['0', '1', '2', '5', '100', '-1']);
      case 'Float':
        return pick(['0', '1.5', '-2']);
      case 'Boolean':
        return pick(['true', 'false']);
      case 'DateTime':
        return pick(['"2026-01-01T00:00:00Z"', '"2099-01-01T00:00:00+02:00"']);
      case 'JSON':
        return pick(['{}', '{team: "a"}', '"text"']);
      default:
        return JSON.stringify(pick([...ids, ...ids, ...ids, 'nope', 'mock']));
    }
  }

  const argument = ({ name, type }: GraphQLArgument) => `${name}: ${literal(type)}`;

  function field(of: GraphQLField<unknown, unknown>, depth: number, alias = ''): string {
    const args = of.args.filter((arg) => isRequiredArgument(arg) || chance(0.25)).map(argument);
    const type = getNamedType(of.type);
    const below = isObjectType(type) ? ` ${selection(type, depth - 1)}` : '';
    return `${alias}${of.name}${args.length > 0 ? `(${args.join(', ')})` : ''}${below}`;
  }

  function selection(type: GraphQLObjectType, depth: number): string {
    const fields = Object.values(type.getFields()).filter(
      ({ type: of }) => depth > 0 || !isObjectType(getNamedType(of)),
    );
    const chosen = fields.filter(({ type: of }) => chance(isObjectType(getNamedType(of)) ? 0.7 : 0.3));
    const parts = chosen.map((of) => {
      const text = field(of, depth, chance(0.1) ? `${of.name}Again: ` : '');
      if (chance(0.1)) return `... on ${type.name} { ${text} }`;
      return chance(0.05) ? `... @include(if: ${chance(0.5)}) { ${text} }` : text;
    });
    return `{ ${['__typename', ...parts].join(' ')} }`;
  }

  const roots = Object.values(schema.getQueryType()?.getFields() ?? {});
  return `{ ${field(pick(roots), 5)} }`;
}
