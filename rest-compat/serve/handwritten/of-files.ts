import type { HandwrittenEndpoint } from './handwritten.ts';

type Common = Pick<HandwrittenEndpoint, 'on' | 'errors' | 'yields'>;

/** What all paths of files have in common. */
export const ofFiles: Common = { on: ['V1'], errors: 'INFERENCE', yields: true };

export const writing = { scope: 'completions.write' } as const;
export const reading = { scope: ['completions.write', 'completions.read'] } as const;

/** The body of a form with one file; `example` has the other fields. */
export const formOf = (field: string, others: Record<string, object> = {}, example: object = {}) => ({
  required: true,
  content: {
    'multipart/form-data': {
      schema: {
        type: 'object',
        required: [field],
        properties: { [field]: { type: 'string', format: 'binary' }, ...others },
      },
      example: { [field]: 'The bytes.', ...example },
    },
  },
});

/** An answer in JSON, by an example of it. */
export const jsonAnswer = (description: string, example: object) => ({
  200: { description, content: { 'application/json': jsonLike(example) } },
});

/** JSON that has the members of an example. */
export const jsonLike = (example: object) => ({ schema: schemaLike(example, ''), example });

/** What stands where an example has null. */
const besideNull: Record<string, string> = {
  expires_at: 'integer',
  status_details: 'string',
  file: 'object',
};

function schemaLike(value: unknown, name: string): object {
  if (value === null) return { type: besideNull[name] ?? 'string', nullable: true };
  if (Array.isArray(value)) return { type: 'array', items: schemaLike(value[0], name) };
  if (typeof value !== 'object') return { type: typeof value === 'number' ? 'integer' : typeof value };
  const members = Object.entries(value as object);
  return {
    type: 'object',
    required: members.map(([member]) => member),
    properties: Object.fromEntries(members.map(([member, inner]) => [member, schemaLike(inner, member)])),
  };
}
