import { createHash } from 'node:crypto';
import { createContext, Script } from 'node:vm';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { LRUCache } from 'lru-cache';
import type { RE2JS } from 're2js';
import { compilePattern } from '../pattern/user-pattern.ts';

/** The faults of a value, as `path: message`; null where the value is valid. */
export type SchemaValidator = (value: unknown) => readonly string[] | null;

/** Milliseconds for one value. */
const TIME = 250;

/** Compiled schemas by their digest: the same one is often saved in many versions and configs. */
const compiled = new LRUCache<string, SchemaValidator>({ max: 500 });

/** Compiles a schema of JSON Schema 2020-12. Throws an Error that says what is wrong with it. */
export function schemaValidator(schema: Readonly<Record<string, unknown>>): SchemaValidator {
  const text = JSON.stringify(schema);
  const digest = createHash('sha256').update(text).digest('base64');
  const known = compiled.get(digest);
  if (known !== undefined) return known;
  const validate = compile(schema);
  const mayExplode = /"(\$\w*[rR]ef|uniqueItems)"/.test(text) || text.length > 4_096;
  const isValid = mayExplode ? inTime(validate) : validate;
  const validator: SchemaValidator = (value) =>
    isValid(value)
      ? null
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
  compiled.set(digest, validator);
  return validator;
}

function compile({ $schema, ...schema }: Readonly<Record<string, unknown>>): ValidateFunction {
  // Generators still write the names of older drafts above schemas that mean the same in this one.
  const isDraft = typeof $schema === 'string' && /^https?:\/\/json-schema\.org\//.test($schema);
  // One for each schema: two schemas may name themselves alike.
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, code: { regExp } });
  return ajv.compile(isDraft || $schema === undefined ? schema : { $schema, ...schema });
}

/** A pattern of a schema, in linear time. */
class LinearPattern {
  readonly #source: string;
  readonly #pattern: RE2JS;

  constructor(source: string) {
    this.#source = source;
    this.#pattern = compilePattern(source);
  }

  test(text: string): boolean {
    return this.#pattern.matcher(text).find();
  }

  /** Ajv takes patterns with the same text for the same pattern. */
  toString(): string {
    return `/${this.#source}/u`;
  }
}

const regExp = Object.assign((source: string) => new LinearPattern(source), { code: 'linearPattern' });

const guarded: { run: (() => boolean) | null } = { run: null };
createContext(guarded);
const script = new Script('run()');

/** References and comparisons of all items with each other take exponential or quadratic time: such a run is cut off. */
const inTime =
  (validate: ValidateFunction): ((value: unknown) => boolean) =>
  (value) => {
    guarded.run = () => validate(value) as boolean;
    try {
      return script.runInContext(guarded, { timeout: TIME });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
      throw new Error(`The schema took longer than ${TIME} ms on the answer.`);
    } finally {
      guarded.run = null;
    }
  };
