import { decode } from '../bson/decode.ts';
import { encode } from '../bson/encode.ts';
import { pickFields } from '../bson/raw.ts';
import { CommandError } from '../errors.ts';
import { compileExpression } from '../expression/expression.ts';
import { inOrder, needsOrder } from '../value/ordered.ts';
import { asNumber, type Document, isDocument } from '../value/types.ts';
import { compileElement, type FilterContext } from './filter.ts';
import { matchedPosition } from './position.ts';

export type Projection = (document: Document) => Document;

/** What becomes of a field: the value it had is kept, dropped or changed, or one is computed from the document. */
type Leaf = {
  kind: 'keep' | 'drop' | 'change' | 'compute';
  value: (value: unknown, root: Document) => unknown;
};
type Tree = Map<string, Leaf | Tree>;

/** `filter` is that of a find, which the positional operator refers to. */
export type ProjectionContext = FilterContext & { filter?: Document; find: boolean };

const keep: Leaf = { kind: 'keep', value: (value) => value };
const drop: Leaf = { kind: 'drop', value: () => undefined };

/** Compiles a projection of find or $project: inclusion or exclusion, with computed fields. */
export function compileProjection(spec: Document, context: ProjectionContext): Projection {
  const { tree, including } = build(spec, context);
  return (document) => project(document, tree, including, document);
}

/** The same for a document as it is stored. Fields that are kept or dropped whole are copied, and nothing is decoded. */
export function compileStoredProjection(
  spec: Document,
  context: ProjectionContext,
): (body: Buffer) => Buffer {
  const { tree, including } = build(spec, context);
  if ([...tree.values()].some((node) => node !== keep && node !== drop)) {
    return (body) => {
      const document = decode(body);
      return encode(project(document, tree, including, document));
    };
  }
  const wanted = including ? keep : drop;
  const names = new Set([...tree].flatMap(([name, node]) => (node === wanted ? [name] : [])));
  return (body) => pickFields(body, (name) => names.has(name) === including);
}

function build(spec: Document, context: ProjectionContext): { tree: Tree; including: boolean } {
  const builder = new Builder(context);
  for (const [path, value] of Object.entries(spec)) builder.add(path, value);
  return { including: builder.finish(), tree: builder.tree };
}

/** Collects the leaves of a projection and finds out whether it includes or excludes. */
class Builder {
  readonly tree: Tree = new Map();
  readonly #context: ProjectionContext;
  #includes = false;
  #excludes = false;
  #positional = false;
  #changes = false;
  /** What the first flag says, and what `_id` says for itself. */
  #keeps: boolean | null = null;
  #id: boolean | null = null;

  constructor(context: ProjectionContext) {
    this.#context = context;
  }

  add(path: string, value: unknown, name = path): void {
    const { find } = this.#context;
    if (path.split('.').includes(''))
      throw new CommandError(40352, 'FieldPath field names may not be empty strings.');
    if (name.startsWith('$'))
      throw new CommandError(16410, `FieldPath field names may not start with '$', given '${name}'.`);
    const flag = typeof value === 'boolean' ? value : asNumber(value);
    if (flag === null) this.#addValue(path, value);
    else if (find && path.endsWith('.$')) this.#addPositional(path.slice(0, -2));
    else this.#addFlag(path, Boolean(flag));
  }

  /** True when only what is named is in the result. */
  finish(): boolean {
    const { tree } = this;
    const including = this.#includes || (!this.#excludes && !this.#changes && this.#id === true);
    if (including && this.#excludes)
      throw new CommandError(31252, 'Cannot use an expression in an exclusion projection');
    if (this.#id !== null) tree.set('_id', this.#id ? keep : drop);
    else if (including && !tree.has('_id')) tree.set('_id', keep);
    return including;
  }

  #addFlag(path: string, kept: boolean): void {
    if (path === '_id') {
      this.#id = kept;
      return;
    }
    this.#keeps ??= kept;
    if (kept !== this.#keeps) {
      const [here, whole] = kept ? ['inclusion', 'exclusion'] : ['exclusion', 'inclusion'];
      throw new CommandError(
        kept ? 31253 : 31254,
        `Cannot do ${here} on field ${path} in ${whole} projection`,
      );
    }
    if (kept) this.#includes = true;
    else this.#excludes = true;
    this.#place(path, kept ? keep : drop);
  }

  /** A document is an operator of find, an expression, or a projection of what lies below. */
  #addValue(path: string, value: unknown): void {
    const { find, variables } = this.#context;
    const [operator] = isDocument(value) ? Object.keys(value) : ['$literal'];
    if (operator === undefined)
      throw new CommandError(51270, 'An empty sub-projection is not a valid value.');
    const spec = value as Document;
    if (find && operator === '$slice' && isSlice(spec.$slice)) this.#addSlice(path, spec.$slice);
    else if (find && operator === '$elemMatch') this.#addElementMatch(path, spec.$elemMatch);
    else if (operator.startsWith('$')) {
      this.#includes = true;
      const compute = compileExpression(value, variables);
      this.#place(path, { kind: 'compute', value: (_value, root) => compute(root) });
    } else {
      for (const [name, inner] of Object.entries(spec)) this.add(`${path}.${name}`, inner, name);
    }
  }

  #addPositional(path: string): void {
    const { filter } = this.#context;
    if (!filter || this.#positional)
      throw new CommandError(31276, 'Cannot specify more than one positional projection per query.');
    this.#positional = true;
    this.#includes = true;
    this.#change(path, (value, root) => {
      if (!Array.isArray(value)) return value;
      const position = matchedPosition(filter, root, path, this.#context);
      if (position !== null) return value.slice(position, position + 1);
      throw new CommandError(51246, "positional operator '.$' couldn't find a matching element in the array");
    });
  }

  #addElementMatch(path: string, operand: unknown): void {
    if (!isDocument(operand)) throw new CommandError(31274, '$elemMatch: Invalid argument, object required');
    if (path.includes('.'))
      throw new CommandError(31275, 'Cannot use $elemMatch projection on a nested field');
    this.#includes = true;
    const matches = compileElement(operand, this.#context);
    this.#change(path, (value) => {
      const found = Array.isArray(value) ? value.find(matches) : undefined;
      return found === undefined ? undefined : [found];
    });
  }

  #addSlice(path: string, operand: unknown): void {
    const [first, length] = [operand].flat().map(asNumber) as [number, number?];
    this.#changes = true;
    this.#change(path, (value) => {
      if (!Array.isArray(value)) return value;
      if (length === undefined) return first < 0 ? value.slice(first) : value.slice(0, first);
      const from = first < 0 ? Math.max(0, value.length + first) : first;
      return value.slice(from, from + length);
    });
  }

  #change(path: string, value: Leaf['value']): void {
    this.#place(path, { kind: 'change', value });
  }

  #place(path: string, leaf: Leaf): void {
    const parts = path.split('.');
    const last = parts.pop() as string;
    let node = this.tree;
    for (const part of parts) {
      const next = node.get(part) ?? new Map();
      if (!(next instanceof Map)) throw new CommandError(31249, `Path collision at ${path}`);
      node.set(part, next);
      node = next;
    }
    if (node.has(last)) throw new CommandError(31250, `Path collision at ${path}`);
    node.set(last, leaf);
  }
}

/** `$slice` of find takes one or two numbers; anything else is the expression of that name. */
const isSlice = (operand: unknown): boolean => {
  const numbers = [operand].flat();
  return numbers.length >= 1 && numbers.length <= 2 && numbers.every((item) => asNumber(item) !== null);
};

function project(document: Document, tree: Tree, including: boolean, root: Document): Document {
  const result: Document = {};
  for (const name of Object.keys(document)) {
    const node = tree.get(name);
    if (node === undefined) {
      if (!including) result[name] = document[name];
    } else if (node instanceof Map)
      setDefined(result, name, projectInside(document[name], node, including, root));
    else if (node.kind !== 'compute') setDefined(result, name, node.value(document[name], root));
  }
  // Computed fields come after those of the document, in the order of the projection.
  for (const [name, node] of including ? tree : []) {
    if (!(node instanceof Map)) {
      if (node.kind === 'compute') setDefined(result, name, node.value(undefined, root));
    } else if (!Object.hasOwn(result, name) && isComputed(node)) result[name] = project({}, node, true, root);
  }
  return needsOrder(result) ? inOrder(namesOf(result, document, tree), result) : result;
}

function setDefined(target: Document, name: string, value: unknown): void {
  if (value !== undefined) target[name] = value;
}

function namesOf(result: Document, document: Document, tree: Tree): string[] {
  const kept = Object.keys(document).filter(
    (name) => (tree.get(name) as Leaf | undefined)?.kind !== 'compute',
  );
  return [...new Set([...kept, ...tree.keys()])].filter((name) => Object.hasOwn(result, name));
}

function projectInside(value: unknown, tree: Tree, including: boolean, root: Document): unknown {
  if (isDocument(value)) return project(value, tree, including, root);
  if (!Array.isArray(value)) return including ? undefined : value;
  const elements = value.map((element) => projectInside(element, tree, including, root));
  return including ? elements.filter((element) => element !== undefined) : elements;
}

const isComputed = (node: Leaf | Tree): boolean =>
  node instanceof Map ? [...node.values()].some(isComputed) : node.kind === 'compute';
