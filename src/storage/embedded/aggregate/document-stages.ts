import { CommandError } from '../errors.ts';
import { compileExpression, type Expression } from '../expression/expression.ts';
import { field } from '../query/path.ts';
import { compileProjection } from '../query/projection.ts';
import { withField, withoutField } from '../value/ordered.ts';
import { type Document, expectDocument, isDocument, typeName } from '../value/types.ts';

/** A stage that makes one document out of one. */
export type DocumentStage = (document: Document) => Document;

/** The stages that look at one document at a time; an update may be written with them. */
const compilers: Record<string, (spec: unknown, name: string, variables?: Document) => DocumentStage> = {
  $project: compileProject,
  $addFields: compileAddFields,
  $set: compileAddFields,
  $unset: compileUnset,
  $replaceRoot: (spec, _name, variables) => {
    if (isDocument(spec) && 'newRoot' in spec) return compileReplace(spec.newRoot, variables);
    throw new CommandError(40231, 'no newRoot specified for the $replaceRoot stage');
  },
  $replaceWith: (spec, _name, variables) => compileReplace(spec, variables),
};

/** Compiles a stage that looks at one document at a time; undefined for any other stage. */
export function compileDocumentStage(
  name: string,
  spec: unknown,
  variables?: Document,
): DocumentStage | undefined {
  return Object.hasOwn(compilers, name) ? compilers[name]?.(spec, name, variables) : undefined;
}

function compileProject(source: unknown, _name: string, variables?: Document): DocumentStage {
  const spec = expectDocument(source, 15969, '$project specification must be an object');
  if (Object.keys(spec).length === 0)
    throw new CommandError(
      51272,
      'Invalid $project :: caused by :: projection specification must have at least one field',
    );
  return compileProjection(spec, { find: false, ...(variables ? { variables } : {}) });
}

type Computed = { path: string[]; compute: Expression };

function compileAddFields(source: unknown, name: string, variables?: Document): DocumentStage {
  const message = `${name} specification stage must be an object, got ${typeName(source)}`;
  const fields = computedFields(expectDocument(source, 40272, message), [], variables);
  return (document) =>
    fields.reduce(
      (changed, { path, compute }) => withComputed(changed, path, compute(document)) as Document,
      document,
    );
}

/** A nested document stands for paths into it. */
function computedFields(spec: Document, prefix: string[], variables?: Document): Computed[] {
  return Object.entries(spec).flatMap(([key, value]) => {
    const path = [...prefix, ...key.split('.')];
    if (path.includes('')) throw new CommandError(40352, 'FieldPath field names may not be empty strings.');
    if (key.startsWith('$'))
      throw new CommandError(16410, `FieldPath field names may not start with '$', given '${key}'.`);
    const keys = isDocument(value) ? Object.keys(value) : [];
    return keys.length > 0 && !keys.some((inner) => inner.startsWith('$'))
      ? computedFields(value as Document, path, variables)
      : [{ path, compute: compileExpression(value, variables) }];
  });
}

/** New fields go at the end, present ones keep their place; a field whose expression yields nothing goes away. */
function withComputed(target: unknown, path: readonly string[], computed: unknown): unknown {
  const [name, ...rest] = path;
  if (name === undefined) return computed;
  if (Array.isArray(target)) return target.map((element) => withComputed(element, path, computed));
  const document = isDocument(target) ? target : {};
  const value = withComputed(field(document, name), rest, computed);
  return value === undefined ? withoutField(document, name) : withField(document, name, value);
}

function compileUnset(spec: unknown): DocumentStage {
  const fields = Array.isArray(spec) ? spec : [spec];
  if (fields.length === 0 || !fields.every((field) => typeof field === 'string')) {
    throw new CommandError(31002, '$unset specification must be a string or an array of strings');
  }
  return compileProjection(Object.fromEntries(fields.map((field) => [field, 0])), { find: false });
}

function compileReplace(spec: unknown, variables?: Document): DocumentStage {
  const expression = compileExpression(spec, variables);
  return (document) => {
    const root = expression(document);
    if (isDocument(root)) return root;
    throw new CommandError(
      40228,
      `'newRoot' expression must evaluate to an object, but resulting value was of type: ${typeName(root)}`,
    );
  };
}

/** Compiles a pipeline-style update into one function. */
export function compilePipelineUpdate(stages: unknown[], variables?: Document): DocumentStage {
  const compiled = stages.map((stage) => {
    const spec = expectDocument(stage, 9, 'Each element of the pipeline array must be an object');
    const [name = ''] = Object.keys(spec);
    const transform = compileDocumentStage(name, spec[name], variables);
    if (transform) return transform;
    throw new CommandError(72, `${name} is not allowed to be used within an update`);
  });
  return (document) => compiled.reduce((current, transform) => transform(current), document);
}
