import type { Schema } from '../../rest-compat/openapi/document.ts';

/** A description in the contract's notation: `"integer minimum=0"`, `{"name!": …}`, `[…]` or `"<shape>"`. */
export type Notation = string | Notation[] | { [name: string]: Notation };

export type Shapes = Record<string, Notation>;

const remarks = new Set(['_note', '_when', '_masked_on_read', '_mask_rule']);
const types = new Set(['object', 'string', 'integer', 'number', 'boolean']);

/** The notation as a schema. What it leaves open (several forms, any key, no known type) allows everything. */
export function schemaOf(notation: Notation, shapes: Shapes, above: readonly string[] = []): Schema {
  if (typeof notation === 'string') return textSchema(notation, shapes, above);
  if (Array.isArray(notation)) {
    return { type: 'array', items: schemaOf(notation[0] ?? 'any', shapes, above) };
  }
  if ('one_of' in notation || '*' in notation) return {};
  const members = Object.entries(notation).filter(([name]) => !remarks.has(name));
  const required = members.filter(([name]) => name.endsWith('!')).map(([name]) => name.slice(0, -1));
  return {
    type: 'object',
    ...(required.length > 0 && { required }),
    properties: Object.fromEntries(
      members.flatMap(([name, member]) =>
        name === '...'
          ? Object.entries(schemaOf(member, shapes, above).properties ?? {})
          : [[name.replace(/!$/, ''), schemaOf(member, shapes, above)] as const],
      ),
    ),
  };
}

function textSchema(text: string, shapes: Shapes, above: readonly string[]): Schema {
  const [, shape] = /^<(\w+)>/.exec(text) ?? [];
  if (shape) {
    const found = shapes[shape];
    return found && !above.includes(shape) ? schemaOf(found, shapes, [...above, shape]) : {};
  }
  const [type = '', ...words] = text.replace(/(?<!enum)\([^)]*\)/g, '').split(/\s+/);
  if (!types.has(type)) return {};
  return Object.assign({ type }, ...words.map(keyword)) as Schema;
}

const numeric = new Set(['minimum', 'maximum', 'minLength', 'maxLength']);

function keyword(word: string): Schema {
  const [, values] = /^enum\((.*)\)$/.exec(word) ?? [];
  if (values !== undefined) return { enum: values.split('|') };
  const [name = '', ...rest] = word.split('=');
  const value = rest.join('=');
  if (numeric.has(name)) return { [name]: Number(value) };
  if (name === 'pattern' || name === 'default') return { [name]: value };
  return word === 'date-time' ? { format: word } : {};
}
