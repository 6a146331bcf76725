import { invalidInput } from '../../errors/index.ts';
import { isObject } from '../../lib/json.ts';

/** What an organisation wants of the metadata of its keys, or of its workspaces: JSON Schema, as far as labels need it. */
export type MetadataSchema = {
  type: 'object';
  required?: string[];
  properties?: Record<string, LabelSchema>;
};
type LabelSchema = {
  type: 'string';
  enum?: string[];
  default?: string;
  minLength?: number;
  maxLength?: number;
};

const MAX_PROPERTIES = 50;
const MAX_VALUES = 100;

const isLabel = (value: unknown): value is string => typeof value === 'string' && value.length <= 128;
const isLength = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0;
const isLabelList = (value: unknown): boolean =>
  Array.isArray(value) && value.length > 0 && value.length <= MAX_VALUES && value.every(isLabel);

/** The keywords that are taken; what is not enforced is not let in. */
const ofWhole: Record<string, (value: unknown) => boolean> = {
  $schema: (value) => typeof value === 'string',
  title: (value) => typeof value === 'string',
  description: (value) => typeof value === 'string',
  type: (value) => value === 'object',
  additionalProperties: (value) => value === true,
  required: isLabelList,
  properties: (value) => isObject(value) && Object.keys(value).length <= MAX_PROPERTIES,
};
const ofLabel: Record<string, (value: unknown) => boolean> = {
  title: (value) => typeof value === 'string',
  description: (value) => typeof value === 'string',
  type: (value) => value === 'string',
  enum: isLabelList,
  default: isLabel,
  minLength: isLength,
  maxLength: isLength,
};

/** A schema of which every keyword is enforced; throws VALIDATION_FAILED naming the member at fault. */
export function parseMetadataSchema(value: unknown, param: string): MetadataSchema {
  requireKeywords(value, ofWhole, param);
  const { properties = {} } = value as MetadataSchema;
  for (const [name, label] of Object.entries(properties)) {
    const path = `${param}.properties.${name}`;
    requireKeywords(label, ofLabel, path);
    const problem = label.default !== undefined && labelProblem(label, label.default);
    if (problem) throw invalidInput(`${path}.default`, `${path}.default ${problem}`);
  }
  return value as MetadataSchema;
}

function requireKeywords(
  value: unknown,
  keywords: Record<string, (value: unknown) => boolean>,
  path: string,
): void {
  if (!isObject(value)) throw invalidInput(path, `${path} must be an object.`);
  if (value.type === undefined) throw invalidInput(`${path}.type`, `${path}.type is required.`);
  for (const [name, member] of Object.entries(value)) {
    const holds = Object.hasOwn(keywords, name) ? keywords[name] : undefined;
    if (!holds) throw invalidInput(`${path}.${name}`, `${path}.${name} is a keyword that is not supported.`);
    if (!holds(member))
      throw invalidInput(`${path}.${name}`, `${path}.${name} has a value that is not supported.`);
  }
}

/** Why the text does not satisfy the label's schema, as the rest of a sentence; null when it does. */
export function labelProblem({ enum: values, minLength = 0, maxLength = 128 }: LabelSchema, text: string) {
  if (values && !values.includes(text)) return `must be one of ${values.join(', ')}.`;
  if (text.length < minLength) return `must have at least ${minLength} characters.`;
  return text.length > maxLength ? `must have at most ${maxLength} characters.` : null;
}
