import { CommandError, failedToParse } from '../errors.ts';
import { compileExpression } from '../expression.ts';
import { compileProjection } from '../query/projection.ts';
import { type Document, isDocument, typeName } from '../value/types.ts';

/** A stage that makes one document out of one. */
export type DocumentStage = (document: Document) => Document;

/** Compiles the stages that look at one document at a time; undefined for any other stage. */
export function compileDocumentStage(
  name: string,
  spec: unknown,
  variables?: Document,
): DocumentStage | undefined {
  switch (name) {
    case '$project':
      return compileProject(spec, variables);
    case '$addFields':
    case '$set':
      return compileAddFields(name, spec, variables);
    case '$unset':
      return compileUnset(spec);
    case '$replaceRoot':
      if (!isDocument(spec) || !('newRoot' in spec))
        throw new CommandError(40231, 'no newRoot specified for the $replaceRoot stage');
      return compileReplace(spec.newRoot, variables);
    case '$replaceWith':
      return compileReplace(spec, variables);
    default:
      return undefined;
  }
}

function compileProject(spec: unknown, variables?: Document): DocumentStage {
  if (!isDocument(spec)) throw new CommandError(15969, '$project specification must be an object');
  if (Object.keys(spec).length === 0)
    throw new CommandError(
      51272,
      'Invalid $project :: caused by :: projection specification must have at least one field',
    );
  return compileProjection(spec, { find: false, ...(variables ? { variables } : {}) });
}

type Computed = Map<string, Computed | ((document: Document) => unknown)>;

function compileAddFields(name: string, spec: unknown, variables?: Document): DocumentStage {
  if (!isDocument(spec))
    throw new CommandError(40272, `${name} specification stage must be an object, got ${typeName(spec)}`);
  const tree: Computed = new Map();
  addTree(tree, spec, variables);
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
  const result = { ...target };
  for (const [key, node] of tree) {
    const value = node instanceof Map ? mergeInside(result[key], node, root) : node(root);
    if (value === undefined) {
      if (!(node instanceof Map)) delete result[key];
    } else result[key] = value;
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

/** The stages that an update may be written with. */
const updateStages = new Set(['$addFields', '$set', '$project', '$unset', '$replaceRoot', '$replaceWith']);

/** Compiles a pipeline-style update into one function. */
export function compilePipelineUpdate(stages: unknown[], variables?: Document): DocumentStage {
  const compiled = stages.map((stage) => {
    if (!isDocument(stage)) throw failedToParse('Each element of the pipeline array must be an object');
    const [name = ''] = Object.keys(stage);
    if (!updateStages.has(name))
      throw new CommandError(72, `${name} is not allowed to be used within an update`);
    const transform = compileDocumentStage(name, stage[name], variables);
    if (!transform) throw new CommandError(72, `${name} is not allowed to be used within an update`);
    return transform;
  });
  return (document) => compiled.reduce((current, transform) => transform(current), document);
}
