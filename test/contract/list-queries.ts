import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
} from 'graphql';

type Field = GraphQLField<unknown, unknown>;

/** One question about a list: everything that can be asked of one field of its items. */
export type ListQuery = {
  /** `Query.logs.data: config` */
  label: string;
  text(size: number): string;
  /** Coordinates of the lists that the question covers. */
  lists: Set<string>;
};

const isList = (field: Field): boolean => isListType(getNullableType(field.type));
const isLeaf = (field: Field): boolean => isLeafType(getNamedType(field.type));
const fieldsOf = (type: GraphQLObjectType): Field[] => Object.values(type.getFields());

function objectOf(field: Field): GraphQLObjectType {
  const type = getNamedType(field.type);
  if (!isObjectType(type))
    throw new Error(`${field.name} answers ${type.name}: teach this walk to select from it.`);
  return type;
}

/** Every list of objects in the graph, e.g. `Config.versions`. */
export const listsOf = (schema: GraphQLSchema): string[] =>
  Object.values(schema.getTypeMap()).flatMap((type) =>
    isObjectType(type) && !type.name.startsWith('__')
      ? fieldsOf(type)
          .filter((field) => isList(field) && !isLeaf(field))
          .map((field) => `${type.name}.${field.name}`)
      : [],
  );

/** Those among them that are found below a type. */
export function listsBelow(schema: GraphQLSchema, root: string): string[] {
  const types = new Set([root]);
  for (const name of types) {
    const type = schema.getType(name);
    if (isObjectType(type)) for (const field of fieldsOf(type)) types.add(getNamedType(field.type).name);
  }
  return listsOf(schema).filter((list) => types.has(list.split('.')[0] ?? ''));
}

/**
 * Questions about every list that a root field answers: for each field of its items that is an object, or a list, all
 * that lies below it down to the first type that comes again; and one question for all of the plain fields.
 */
export function listQueries(schema: GraphQLSchema, required: Record<string, string>): ListQuery[] {
  const query = schema.getQueryType();
  if (!query) return [];
  return fieldsOf(query).flatMap((root) => {
    if (isLeaf(root)) return [];
    const page = objectOf(root);
    const list = isList(root) ? null : fieldsOf(page).find((field) => isList(field) && !isLeaf(field));
    const isPage = list && root.args.some(({ name }) => name === 'pageSize' || name === 'limit');
    if (!isPage && !isList(root)) return [];
    const item = list ? objectOf(list) : page;
    const place = list ? `Query.${root.name}.${list.name}` : `Query.${root.name}`;
    return partsOf(item).map(({ name, fields }) => {
      const lists = new Set([list ? `${page.name}.${list.name}` : place]);
      const select = (size: number) =>
        fields.map((field) => selection(item, field, size, [item.name], lists)).join(' ');
      select(1);
      return {
        label: `${place}: ${name}`,
        lists,
        text: (size) => {
          const around = list ? `${list.name} { ${select(size)} }` : select(size);
          return `{ ${root.name}${argumentsOf(query, root, size, required)} { ${around} } }`;
        },
      };
    });
  });
}

const partsOf = (item: GraphQLObjectType) => [
  { name: 'its plain fields', fields: fieldsOf(item).filter(isLeaf) },
  ...fieldsOf(item)
    .filter((field) => !isLeaf(field))
    .map((field) => ({ name: field.name, fields: [field] })),
];

function selection(
  parent: GraphQLObjectType,
  field: Field,
  size: number,
  above: readonly string[],
  lists: Set<string>,
): string {
  const named = field.name + argumentsOf(parent, field, size, {});
  if (isLeaf(field)) return named;
  const type = objectOf(field);
  if (isList(field)) lists.add(`${parent.name}.${field.name}`);
  const again = above.includes(type.name);
  const below = fieldsOf(type).filter((inner) => isLeaf(inner) || !again);
  return `${named} { ${below.map((inner) => selection(type, inner, size, [...above, type.name], lists)).join(' ')} }`;
}

function argumentsOf(
  parent: GraphQLObjectType,
  field: Field,
  size: number,
  required: Record<string, string>,
): string {
  const given = field.args.flatMap((argument) => {
    if (argument.name === 'pageSize' || argument.name === 'limit') return [`${argument.name}: ${size}`];
    const value = required[`${parent.name}.${field.name}.${argument.name}`];
    if (value !== undefined) return [`${argument.name}: ${value}`];
    if (!isRequiredArgument(argument)) return [];
    throw new Error(`Say in the test what ${parent.name}.${field.name} is to get as ${argument.name}.`);
  });
  return given.length > 0 ? `(${given.join(', ')})` : '';
}
