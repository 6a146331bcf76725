import { CommandError } from '../errors.ts';
import { compileExpression, type Expression } from '../expression.ts';
import { asNumber, type Document, isDocument } from '../value/types.ts';
import type { Filter, FilterContext } from './filter.ts';
import { compileElement } from './operators.ts';
import { matchedPosition } from './position.ts';

export type Projection = (document: Document) => Document;

type Transform = (value: unknown, document: Document) => unknown;
type Tree = Map<string, Leaf | Tree>;
/** A leaf keeps a field, drops it, changes its value, or computes it from the document. */
type Leaf =
  | { kind: 'keep' }
  | { kind: 'drop' }
  | { kind: 'change'; change: Transform }
  | { kind: 'compute'; compute: Expression };

export type ProjectionContext = FilterContext & {
  /** The filter of a find, which the positional operator refers to. */ filter?: Filter;
  find: boolean;
};

const invalid = (code: number, message: string): CommandError => new CommandError(code, message);

/** Compiles a projection of find or $project: inclusion or exclusion, with computed fields. */
export function compileProjection(spec: Document, context: ProjectionContext): Projection {
  const tree: Tree = new Map();
  const state: State = { keeps: 0, drops: 0, changes: 0, computes: 0, positional: 0, id: null };
  for (const [path, value] of Object.entries(spec)) add(tree, path, value, context, state, '');
  if (state.keeps > 0 && state.drops > 0) {
    throw invalid(
      state.firstKept ? 31254 : 31253,
      `Cannot do ${state.firstKept ? 'exclusion' : 'inclusion'} on field ${state.mixed ?? ''} in ${state.firstKept ? 'inclusion' : 'exclusion'} projection`,
    );
  }
  const including =
    state.keeps > 0 ||
    state.computes > 0 ||
    state.positional > 0 ||
    (state.drops === 0 && state.changes === 0 && state.id === true);
  if (including && state.drops > 0)
    throw invalid(31252, 'Cannot use an expression in an exclusion projection');
  if (state.id !== null) tree.set('_id', { kind: state.id ? 'keep' : 'drop' });
  else if (including && !tree.has('_id')) tree.set('_id', { kind: 'keep' });
  return including
    ? (document) => include(document, tree, document)
    : (document) => exclude(document, tree, document);
}

type State = {
  keeps: number;
  drops: number;
  changes: number;
  computes: number;
  positional: number;
  id: boolean | null;
  firstKept?: boolean;
  mixed?: string;
};

function add(
  tree: Tree,
  path: string,
  value: unknown,
  context: ProjectionContext,
  state: State,
  prefix: string,
): void {
  const full = prefix + path;
  if (path === '' || path.split('.').includes(''))
    throw invalid(40352, 'FieldPath field names may not be empty strings.');
  const flag = typeof value === 'boolean' ? value : asNumber(value);
  const positional = context.find && path.endsWith('.$') && flag !== null;
  if (path.startsWith('$')) {
    throw invalid(16410, `FieldPath field names may not start with '$', given '${path}'.`);
  }
  if (positional) addPositional(tree, path.slice(0, -2), context, state);
  else if (flag !== null) addFlag(tree, path, Boolean(flag), state, full);
  else if (isDocument(value)) addDocument(tree, path, value, context, state, full);
  else addComputation(tree, path, value, context, state);
}

function addComputation(
  tree: Tree,
  path: string,
  value: unknown,
  context: ProjectionContext,
  state: State,
): void {
  state.computes += 1;
  place(tree, path, { kind: 'compute', compute: compileExpression(value, context.variables) });
}

/** A document is an operator of find, an expression, or a projection of what lies below. */
function addDocument(
  tree: Tree,
  path: string,
  value: Document,
  context: ProjectionContext,
  state: State,
  full: string,
): void {
  const keys = Object.keys(value);
  const operator = keys[0] ?? '';
  if (keys.length === 0) throw invalid(51270, 'An empty sub-projection is not a valid value.');
  if (context.find && operator === '$slice' && !needsExpression(value.$slice)) {
    state.changes += 1;
    place(tree, path, { kind: 'change', change: slicer(value.$slice) });
  } else if (context.find && operator === '$elemMatch') {
    addElementMatch(tree, path, value.$elemMatch, context, state);
  } else if (operator.startsWith('$')) {
    addComputation(tree, path, value, context, state);
  } else {
    for (const key of keys) {
      const inner: Tree = new Map();
      add(inner, key, value[key], context, state, `${full}.`);
      for (const leaf of leaves(inner, path)) place(tree, leaf.path, leaf.leaf);
    }
  }
}

function leaves(tree: Tree, prefix: string): { path: string; leaf: Leaf }[] {
  return [...tree].flatMap(([name, node]) => {
    const path = `${prefix}.${name}`;
    return node instanceof Map ? leaves(node, path) : [{ path, leaf: node }];
  });
}

function addFlag(tree: Tree, path: string, keep: boolean, state: State, full: string): void {
  if (full === '_id') {
    state.id = keep;
    return;
  }
  state.firstKept ??= keep;
  if (keep !== state.firstKept) state.mixed ??= full;
  if (keep) state.keeps += 1;
  else state.drops += 1;
  place(tree, path, { kind: keep ? 'keep' : 'drop' });
}

function addPositional(tree: Tree, path: string, context: ProjectionContext, state: State): void {
  const { filter } = context;
  if (!filter || state.positional > 0)
    throw invalid(31276, 'Cannot specify more than one positional projection per query.');
  state.positional += 1;
  place(tree, path, {
    kind: 'change',
    change: (value, document) => {
      if (!Array.isArray(value)) return value;
      const position = matchedPosition(filter.source, document, path, context);
      if (position === null)
        throw invalid(
          51246,
          "Executor error during find command :: caused by :: positional operator '.$' couldn't find a matching element in the array",
        );
      return value.slice(position, position + 1);
    },
  });
}

function addElementMatch(
  tree: Tree,
  path: string,
  operand: unknown,
  context: ProjectionContext,
  state: State,
): void {
  if (!isDocument(operand)) throw invalid(31274, '$elemMatch: Invalid argument, object required');
  if (path.includes('.')) throw invalid(31275, 'Cannot use $elemMatch projection on a nested field');
  state.computes += 1;
  const matches = compileElement(operand, context);
  place(tree, path, {
    kind: 'change',
    change: (value) => {
      const found = Array.isArray(value) ? value.find(matches) : undefined;
      return found === undefined ? undefined : [found];
    },
  });
}

const needsExpression = (operand: unknown): boolean => {
  const numbers = Array.isArray(operand) ? operand : [operand];
  return numbers.some((item) => asNumber(item) === null) || numbers.length > 2;
};

function slicer(operand: unknown): Transform {
  const [first = 0, second] = (Array.isArray(operand) ? operand : [operand]).map(asNumber);
  return (value) => {
    if (!Array.isArray(value)) return value;
    const start = Number(first);
    if (second === undefined || second === null)
      return start < 0 ? value.slice(start) : value.slice(0, start);
    const from = start < 0 ? Math.max(0, value.length + start) : start;
    return value.slice(from, from + second);
  };
}

function place(tree: Tree, path: string, leaf: Leaf): void {
  const parts = path.split('.');
  let node = tree;
  for (const part of parts.slice(0, -1)) {
    const next = node.get(part) ?? new Map();
    if (!(next instanceof Map)) throw invalid(31249, `Path collision at ${path}`);
    node.set(part, next);
    node = next;
  }
  const last = parts.at(-1) as string;
  if (node.has(last)) throw invalid(31250, `Path collision at ${path}`);
  node.set(last, leaf);
}

function include(value: Document, tree: Tree, root: Document): Document {
  const result: Document = {};
  for (const key of Object.keys(value)) {
    const node = tree.get(key);
    if (node === undefined) continue;
    if (node instanceof Map) {
      const inner = includeInside(value[key], node, root);
      if (inner !== undefined) result[key] = inner;
    } else if (node.kind === 'keep') result[key] = value[key];
    else if (node.kind === 'change') setDefined(result, key, node.change(value[key], root));
  }
  addComputed(result, tree, root);
  return result;
}

function includeInside(value: unknown, tree: Tree, root: Document): unknown {
  if (isDocument(value)) return include(value, tree, root);
  if (!Array.isArray(value)) return undefined;
  return value
    .map((element) => includeInside(element, tree, root))
    .filter((element) => element !== undefined);
}

/** Computed fields come after those of the document, in the order of the projection. */
function addComputed(result: Document, tree: Tree, root: Document): void {
  for (const [key, node] of tree) {
    if (node instanceof Map) {
      if (!hasComputed(node) || key in result) continue;
      const inner: Document = {};
      addComputed(inner, node, root);
      result[key] = inner;
    } else if (node.kind === 'compute') setDefined(result, key, node.compute(root));
  }
}

function hasComputed(tree: Tree): boolean {
  return [...tree.values()].some((node) =>
    node instanceof Map ? hasComputed(node) : node.kind === 'compute',
  );
}

function setDefined(target: Document, key: string, value: unknown): void {
  if (value !== undefined) target[key] = value;
}

function exclude(value: Document, tree: Tree, root: Document): Document {
  const result: Document = {};
  for (const key of Object.keys(value)) {
    const node = tree.get(key);
    if (node === undefined) result[key] = value[key];
    else if (node instanceof Map) result[key] = excludeInside(value[key], node, root);
    else if (node.kind === 'keep') result[key] = value[key];
    else if (node.kind === 'change') setDefined(result, key, node.change(value[key], root));
  }
  return result;
}

function excludeInside(value: unknown, tree: Tree, root: Document): unknown {
  if (isDocument(value)) return exclude(value, tree, root);
  return Array.isArray(value) ? value.map((element) => excludeInside(element, tree, root)) : value;
}
