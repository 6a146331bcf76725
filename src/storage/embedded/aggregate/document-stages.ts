import { CommandError } from '../errors.ts';
import { compileExpression } from '../expression.ts';
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

type Computed = Map<string, Computed | ((document: Document) => unknown)>;

function compileAddFields(source: unknown, name: string, variables?: Document): DocumentStage {
  const message = `${name} specification stage must be an object, got ${typeName(source)}`;
  const tree: Computed = new Map();
  addTree(tree, expectDocument(source, 40272, message), variables);
  return (document) => merge(document, tree, document);
}

function addTree(tree: Computed, spec: Document, variables?: Document): void {
  for (const [path, value] of Object.entries(spec)) {
    if (path === '' || path.split('.').includes(''))
      throw new CommandError(40352, 'FieldPath field names may not be empty strings.');
    if (path.startsWith('$'))
      throw new CommandError(16410, `FieldPath field names may not start with '$', given '${path}'.`);
    let node = tree;
    const parts = path.split('.');
    for (const part of parts.slice(0, -1)) node = branch(node, part);
    const last = parts.at(-1) as string;
    const nested =
      isDocument(value) &&
      Object.keys(value).length > 0 &&
      !Object.keys(value).some((key) => key.startsWith('$'));
    if (nested) addTree(branch(node, last), value, variables);
    else node.set(last, compileExpression(value, variables));
  }
}

function branch(tree: Computed, part: string): Computed {
  const present = tree.get(part);
  if (present instanceof Map) return present;
  const made: Computed = new Map();
  tree.set(part, made);
  return made;
}

/** New fields go at the end, present ones keep their place; a field whose expression yields nothing goes away. */
function merge(target: Document, tree: Computed, root: Document): Document {
  let result = target;
  for (const [key, node] of tree) {
    const value = node instanceof Map ? mergeInside(target[key], node, root) : node(root);
    result = value === undefined ? withoutField(result, key) : withField(result, key, value);
  }
  return result;
}

function mergeInside(value: unknown, tree: Computed, root: Document): unknown {
  if (Array.isArray(value)) return value.map((element) => mergeInside(element, tree, root));
  return merge(isDocument(value) ? value : {}, tree, root);
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
