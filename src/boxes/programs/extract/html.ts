import { convert } from 'html-to-text';
import { decode, encodingOf } from './text.ts';

/** Bytes at the beginning of a page in which it has to name its encoding. */
const HEAD_BYTES = 1024;

/** What a page shows: no addresses of links and pictures, no scripts and styles. */
export function readHtml(bytes: Uint8Array): string {
  return convert(decode(bytes, namedEncoding(bytes) ?? encodingOf(bytes)), {
    wordwrap: false,
    selectors: [
      { selector: 'a', options: { ignoreHref: true } },
      { selector: 'img', format: 'skip' },
      ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((selector) => ({
        selector,
        options: { uppercase: false },
      })),
      { selector: 'table', format: 'dataTable', options: { uppercaseHeaderCells: false } },
    ],
    limits: { maxInputLength: Number.POSITIVE_INFINITY },
  });
}

/** Null where the page names none that can be decoded. */
function namedEncoding(bytes: Uint8Array): string | null {
  if (encodingOf(bytes) !== 'utf-8') return null;
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, HEAD_BYTES));
  const label = /<meta[^>]+charset\s*=\s*["']?([\w:-]+)/i.exec(head)?.[1];
  try {
    return label === undefined ? null : new TextDecoder(label).encoding;
  } catch {
    return null;
  }
}
