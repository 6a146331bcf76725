import { type Document, isDocument } from './types.ts';

/**
 * JavaScript lists integer-like names ("200") before all others. A document that has them elsewhere is wrapped, so
 * that it lists its fields in its own order; all other documents stay plain objects.
 */
export function inOrder(names: readonly string[], document: Document): Document {
  if (Object.keys(document).every((name, i) => name === names[i])) return document;
  const order = new Set<string | symbol>(names);
  return new Proxy(document, {
    ownKeys: () => [...order],
    defineProperty(target, name, descriptor) {
      order.add(name);
      return Reflect.defineProperty(target, name, descriptor);
    },
    deleteProperty(target, name) {
      order.delete(name);
      return Reflect.deleteProperty(target, name);
    },
  });
}

/** The copy, its fields in the given order, if it has any names that JavaScript would have moved. */
export function reordered(copy: Document, names: () => string[]): Document {
  // Integer-like names come first, so the first name tells whether there are any.
  for (const name in copy) return name >= '0' && name < ':' ? inOrder(names(), copy) : copy;
  return copy;
}

/** A copy of a document with one field changed, or added at its end. */
export function withField(document: Document, name: string, value: unknown): Document {
  const copy = { ...document, [name]: value };
  return reordered(copy, () => [...new Set([...Object.keys(document), name])]);
}

/** A copy of a document with one field less. */
export function withoutField(document: Document, name: string): Document {
  const { [name]: _removed, ...copy } = document;
  return reordered(copy, () => Object.keys(document).filter((other) => other !== name));
}

/** A copy of a document with another value at a path; documents on the way are made where there are none. */
export function withValueAt(document: Document, path: readonly string[], value: unknown): Document {
  const [first = '', ...rest] = path;
  if (rest.length === 0) return withField(document, first, value);
  const inner = Object.hasOwn(document, first) ? document[first] : undefined;

  return withField(document, first, withValueAt(isDocument(inner) ? inner : {}, rest, value));
}
