import { z } from 'zod';
import { defineCheck } from '../../check.ts';
import { excerpt, failable, negatable } from '../common.ts';
import { jsonIn } from './json-in-text.ts';
import { schemaValidator } from './schema-validator.ts';

/** The most characters of a schema as JSON. */
const MAX_SCHEMA = 65_536;
/** The most faults that a finding names. */
const MAX_NAMED = 5;

const parameters = z.strictObject({
  schema: z
    .record(z.string(), z.json())
    .superRefine((schema, context) => {
      try {
        if (JSON.stringify(schema).length > MAX_SCHEMA) throw new Error('a schema has at most 64 kB');
        schemaValidator(schema);
      } catch (error) {
        context.addIssue({ code: 'custom', message: (error as Error).message });
      }
    })
    .describe(
      'A schema of JSON Schema 2020-12; what `$ref` names has to be within it. `format` is not checked.',
    ),
  ...negatable,
  ...failable,
});

export const jsonSchema = defineCheck({
  id: 'default.jsonSchema',
  description: 'Passes when some JSON of the answer is valid against the schema.',
  phases: ['output'],
  parameters,
  prepare({ schema, not }) {
    const validate = schemaValidator(schema);
    return ({ text }) => {
      let faults: readonly string[] | null = null;
      for (const value of jsonIn(text)) {
        const found = validate(value);
        if (found === null) return { verdict: !not, data: { not } };
        faults ??= found;
      }
      if (faults === null) return { verdict: not, data: { not, explanation: 'There is no JSON.' } };
      return { verdict: not, data: { not, validationErrors: faults.slice(0, MAX_NAMED).map(excerpt) } };
    };
  },
});
