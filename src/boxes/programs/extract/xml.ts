import { SaxesParser } from 'saxes';
import { decode, encodingOf } from './text.ts';

export type XmlElement = {
  /** Without the prefix of its namespace. */
  name: string;
  /** By their names; where these have a prefix, a colon stands for it. */
  attributes: Record<string, string>;
};

export type XmlListener = {
  open?(element: XmlElement): void;
  close?(name: string): void;
  text?(text: string): void;
};

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);
const attributeName = (name: string): string => name.slice(Math.max(0, name.indexOf(':')));

/**
 * Walks through the elements of a document of XML. The first error ends the walk: entities that the document declares are
 * errors too, so that they cannot multiply.
 */
export function walkXml(bytes: Uint8Array, listener: XmlListener): void {
  const parser = new SaxesParser({ position: false });
  parser.on('error', (error) => {
    throw error;
  });
  parser.on('opentag', ({ name, attributes }) => {
    const entries = Object.entries(attributes).map(([key, value]) => [attributeName(key), String(value)]);
    listener.open?.({ name: localName(name), attributes: Object.fromEntries(entries) });
  });
  parser.on('closetag', ({ name }) => listener.close?.(localName(name)));
  parser.on('text', (text) => listener.text?.(text));
  parser.on('cdata', (text) => listener.text?.(text));
  parser.write(decode(bytes, encodingOf(bytes)).replace(/^\uFEFF/, '')).close();
}
