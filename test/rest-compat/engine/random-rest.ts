import fc from 'fast-check';
import { snakeCase } from '../../../rest-compat/compile/names.ts';

/** A type of a random schema: what it is called in SDL, how its values look, and what belongs to it. */
export type RandomType = {
  /** As SDL writes it, e.g. `[Input3!]`. */
  sdl: string;
  nullable: boolean;
  /** True when a query parameter can carry it. */
  isText: boolean;
  isList: boolean;
  value: fc.Arbitrary<unknown>;
  fields: { name: string; type: RandomType }[];
  /** Definitions that the type needs. */
  definitions: string[];
};

const words = ['name', 'page', 'size', 'api', 'key', 'user', 'id', 'config', 'max', 'v2', 'at', 'is'];

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** `maxPageSize`; never `input`, which is a body. */
const name = fc
  .array(fc.constantFrom(...words), { minLength: 1, maxLength: 3 })
  .map(([first = '', ...rest]) => first + rest.map(capital).join(''));

export const names = (maxLength: number, minLength = 1) =>
  fc.uniqueArray(name, { minLength, maxLength, selector: snakeCase });

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.parse(JSON.stringify(value)));

const leaves: [sdl: string, value: fc.Arbitrary<unknown>][] = [
  ['Int', fc.integer()],
  ['Float', fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0)],
  ['String', fc.string({ unit: 'grapheme', maxLength: 8 })],
  ['ID', fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 })],
  ['Boolean', fc.boolean()],
  ['Level', fc.constantFrom('low', 'high')],
  [
    'DateTime',
    fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((at) => at.toJSON()),
  ],
  ['JSON', json.filter((value) => value !== null)],
];

const leaf: fc.Arbitrary<RandomType> = fc.constantFrom(...leaves).map(([sdl, value]) => ({
  sdl,
  nullable: true,
  isText: true,
  isList: false,
  value,
  fields: [],
  definitions: [],
}));

const required = (type: RandomType): RandomType => ({ ...type, sdl: `${type.sdl}!`, nullable: false });

const listOf = (item: RandomType): RandomType => ({
  ...item,
  sdl: `[${item.sdl}]`,
  nullable: true,
  isText: item.isText && !item.isList,
  isList: true,
  value: fc.array(item.nullable && !item.isText ? fc.option(item.value) : item.value, { maxLength: 3 }),
});

let count = 0;

function objectOf(kind: 'input' | 'type', fields: RandomType['fields']): RandomType {
  const sdl = `${capital(kind)}${count++}`;
  const members = fields.map((field) => `${field.name}: ${field.type.sdl}`).join(' ');
  const nullables = fields.filter(({ type }) => type.nullable).map((field) => field.name);
  return {
    sdl,
    nullable: true,
    isText: false,
    isList: false,
    fields,
    definitions: [...fields.flatMap(({ type }) => type.definitions), `${kind} ${sdl} { ${members} }`],
    value: fc
      .tuple(
        fc.record(Object.fromEntries(fields.map((field) => [field.name, valuesOf(field.type)]))),
        fc.subarray(kind === 'input' ? nullables : []),
      )
      .map(([value, absent]) =>
        Object.fromEntries(Object.entries(value).filter(([member]) => !absent.includes(member))),
      ),
  };
}

/** A value of the type, null too where it may be. */
export const valuesOf = (type: RandomType): fc.Arbitrary<unknown> =>
  type.nullable ? fc.option(type.value, { freq: 4 }) : type.value;

/** A type of input or output, at most `depth` objects deep. */
export function randomType(kind: 'input' | 'type', depth: number): fc.Arbitrary<RandomType> {
  const inner = depth === 0 ? leaf : fc.oneof({ weight: 2, arbitrary: leaf }, randomObject(kind, depth));
  const item = fc.oneof(inner, inner.map(required));
  return fc.oneof({ weight: 3, arbitrary: item }, item.map(listOf), item.map(listOf).map(required));
}

/** An object type with one to four fields. */
export const randomObject = (kind: 'input' | 'type', depth: number): fc.Arbitrary<RandomType> =>
  names(4).chain((fieldNames) =>
    fc.tuple(...fieldNames.map(() => randomType(kind, depth - 1))).map((types) =>
      objectOf(
        kind,
        types.map((type, index) => ({ name: fieldNames[index] ?? '', type })),
      ),
    ),
  );

/** What a query parameter can carry. */
export const parameterType = fc
  .tuple(leaf, fc.constantFrom('one', 'required', 'list', 'list of required'))
  .map(([type, shape]) => {
    if (shape === 'one') return type;
    if (shape === 'required') return required(type);
    // An empty text in a list is no item.
    if (type.sdl === 'String') type = { ...type, value: type.value.filter((text) => text !== '') };
    return listOf(shape === 'list' ? type : required(type));
  });

/** What a path parameter can carry; no dot segments, which clients resolve before they send them. */
export const pathType = fc
  .constantFrom(
    ['ID', fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }).filter((text) => !/^\.+$/.test(text))],
    ['Int', fc.integer()],
    ['Level', fc.constantFrom('low', 'high')],
  )
  .map(
    ([sdl, value]): RandomType => ({
      sdl: `${sdl}!`,
      nullable: false,
      isText: true,
      isList: false,
      value: value as fc.Arbitrary<unknown>,
      fields: [],
      definitions: [],
    }),
  );
