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
const MOST_PLAIN = 20;
/** Fields of a question, below the limit of the graph with room for what stands around them. */
const MOST_FIELDS = 450;

const isBoolean = (field: Field): boolean => getNamedType(field.type).name === 'Boolean';
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
    return partsOf(item).map(({ name, select }) => {
      const lists = new Set([list ? `${page.name}.${list.name}` : place]);
      select(1, lists);
      return {
        label: `${place}: ${name}`,
        lists,
        text: (size) => {
          const selected = select(size, lists);
          const around = list ? `${list.name} { ${selected} }` : selected;
          return `{ ${root.name}${argumentsOf(query, root, size, required)} { ${around} } }`;
        },
      };
    });
  });
}

type Part = { name: string; select(size: number, lists: Set<string>): string };

const partsOf = (item: GraphQLObjectType): Part[] => [
  {
    name: 'its plain fields',
    select: () =>
      fieldsOf(item)
        .filter(isLeaf)
        .map(({ name }) => name)
        .join(' '),
  },
  ...fieldsOf(item)
    .filter((field) => !isLeaf(field))
    .flatMap((field) => partsBelow(item, field)),
];

/** One question about a field or, where that would pass the limit of a query, one for each field below it, and so on. */
function partsBelow(item: GraphQLObjectType, field: Field, above: readonly string[] = []): Part[] {
  const type = objectOf(field);
  const path = [...above, item.name];
  const all = inner(type, path);
  const asking =
    (fields: readonly Field[]): Part['select'] =>
    (size, lists) =>
      selection(item, field, size, path, lists, fields);
  if (sizeOf(asking(all)(1, new Set())) <= MOST_FIELDS) return [{ name: field.name, select: asking(all) }];
  const within =
    (part: Part): Part['select'] =>
    (size, lists) => {
      if (isList(field)) lists.add(`${item.name}.${field.name}`);
      return `${field.name}${argumentsOf(item, field, size, {})} { ${part.select(size, lists)} }`;
    };
  return [
    { name: `${field.name}, its plain fields`, select: asking(all.filter(isLeaf)) },
    ...all
      .filter((each) => !isLeaf(each))
      .flatMap((each) => partsBelow(type, each, path))
      .map((part) => ({ name: `${field.name}.${part.name}`, select: within(part) })),
  ];
}

const sizeOf = (text: string): number => text.replace(/\([^)]*\)/g, '').match(/\w+/g)?.length ?? 0;

/** Of a table of plain values, such as switches, a few: they come together, and all would pass the limit of a query. */
function sampleOf(type: GraphQLObjectType): Field[] {
  const fields = fieldsOf(type);
  return fields.length > MOST_PLAIN && fields.every(isBoolean) ? fields.slice(0, 2) : fields;
}

function selection(
  parent: GraphQLObjectType,
  field: Field,
  size: number,
  above: readonly string[],
  lists: Set<string>,
  fields?: readonly Field[],
): string {
  const named = field.name + argumentsOf(parent, field, size, {});
  if (isLeaf(field)) return named;
  const type = objectOf(field);
  if (isList(field)) lists.add(`${parent.name}.${field.name}`);
  const below = fields ?? inner(type, above);
  return `${named} { ${below.map((each) => selection(type, each, size, [...above, type.name], lists)).join(' ')} }`;
}

/** The fields to select of a type below these: of one that comes again, those that lead no further. */
const inner = (type: GraphQLObjectType, above: readonly string[]): Field[] =>
  sampleOf(type).filter((field) => isLeaf(field) || !above.includes(type.name));

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
