import { type Document, isDocument } from './types.ts';

const wrapped = new WeakSet<Document>();

/**
 * JavaScript lists integer-like names ("200") before all others. A document that has them elsewhere is wrapped, so
 * that it lists its fields in its own order; all other documents stay plain objects.
 */
export function inOrder(names: readonly string[], document: Document): Document {
  if (Object.keys(document).every((name, i) => name === names[i])) return document;
  const order = new Set<string | symbol>(names);
  const proxy = new Proxy(document, {
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
  wrapped.add(proxy);
  return proxy;
}

const startsWithDigit = (name: string): boolean => (name.charCodeAt(0) ^ 0x30) < 10;

/** True when a copy of the document may list its fields in another order than the document. */
export function needsOrder(document: Document): boolean {
  if (wrapped.has(document)) return true;
  for (const name in document) return startsWithDigit(name);
  return false;
}

/** A copy of a document with one field changed, or added at its end. */
export function withField(document: Document, name: string, value: unknown): Document {
  const copy = { ...document, [name]: value };
  if (!startsWithDigit(name) && !needsOrder(document)) return copy;
  return inOrder([...new Set([...Object.keys(document), name])], copy);
}

/** A copy of a document with one field less. */
export function withoutField(document: Document, name: string): Document {
  const { [name]: _removed, ...copy } = document;
  if (!needsOrder(document)) return copy;
  const names = Object.keys(document).filter((other) => other !== name);
  return inOrder(names, copy);
}

/** A copy of a document with another value at a path; documents on the way are made where there are none. */
export function withValueAt(document: Document, path: readonly string[], value: unknown): Document {
  const [first = '', ...rest] = path;
  if (rest.length === 0) return withField(document, first, value);
  const inner = Object.hasOwn(document, first) ? document[first] : undefined;

  return withField(document, first, withValueAt(isDocument(inner) ? inner : {}, rest, value));
}
