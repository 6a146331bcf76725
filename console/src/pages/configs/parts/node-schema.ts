import { isSchema, type Schema } from '../../../ui/schema/schema.ts';

const snakeCased = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/**
 * What the form of one node of a config has a field for: all that the server's schema knows, each as the node spells it, but for
 * the targets, which are nodes of their own.
 */
export function nodeSchema(schema: unknown, part: Readonly<Record<string, unknown>>): Schema {
  const { properties = {} } = isSchema(schema) ? schema : {};
  const spelled = new Map(Object.keys(part).map((name) => [snakeCased(name), name]));
  const fields = Object.entries(properties).filter(([name]) => name !== 'targets');
  return { properties: Object.fromEntries(fields.map(([name, own]) => [spelled.get(name) ?? name, own])) };
}
