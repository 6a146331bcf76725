import { GatewayError } from '../../errors/index.ts';
import { type PartHead, partHead } from './part-head.ts';

/** A part of a multipart form (RFC 7578), by its offsets in the bytes that hold it. */
export type FormPart = PartHead & {
  /** Of its delimiter, behind the line break. */
  start: number;
  valueStart: number;
  /** Null while the value goes on behind the bytes that are held. */
  valueEnd: number | null;
};

/** A multipart form, or as much of its beginning as is held. */
export type Form = {
  boundary: string;
  bytes: Buffer;
  parts: readonly FormPart[];
  /** Its last delimiter is among the bytes. */
  isEnded: boolean;
  /** Something other than line breaks stands before the first delimiter or behind the last; not every parser skips it. */
  hasProse: boolean;
};

const MAX_PARTS = 1000;
/** Bytes of the headers of one part. */
export const MAX_PART_HEADERS = 16 * 1024;

const TYPE =
  /^multipart\/form-data(?:\s*;\s*charset="?utf-8"?)?\s*;\s*boundary=(?:"([^"\\]{1,70})"|([^\s;"]{1,70}))(?:\s*;\s*charset="?utf-8"?)?;?$/i;

/** The boundary that a content type names; null when it is of no multipart form, or says more than every parser reads. */
export function boundaryOf(contentType: string | undefined): string | null {
  const match = TYPE.exec(contentType?.trim() ?? '');
  return match?.[1] ?? match?.[2] ?? null;
}

/** What stands before every part but the first. */
export const delimiterOf = (boundary: string): string => `\r\n--${boundary}`;

/**
 * Whether a boundary begins a line of a value that ends at `to`, though it is no delimiter: some parsers take any line break
 * for the one before a delimiter.
 */
export function hasStray(bytes: Buffer, boundary: string, from: number, to: number): boolean {
  const value = bytes.subarray(0, to);
  const mark = `--${boundary}`;
  for (let at = value.indexOf(mark, from, 'latin1'); at !== -1; at = value.indexOf(mark, at + 1, 'latin1'))
    if (value[at - 1] === 0x0a || value[at - 1] === 0x0d) return true;
  return false;
}

/**
 * The parts of a form; of the beginning of one, those before and including the first that does not end in it. Null when
 * the bytes are no such form. Throws for a form that names two models: a provider might read the other one.
 */
export function parseForm(bytes: Buffer, boundary: string): Form | null {
  const delimiter = delimiterOf(boundary);
  const opening = delimiter.slice(2);
  const isFirstLine = bytes.toString('latin1', 0, opening.length) === opening;
  const first = isFirstLine ? -2 : bytes.indexOf(delimiter, 0, 'latin1');
  if (first === -1) return null;
  let isEnded = false;
  let hasProse = first > 0;
  const parts: FormPart[] = [];
  for (let at = first; ; ) {
    const head = headAt(bytes, at + delimiter.length);
    if (head === null) return null;
    if (head === 'last') {
      isEnded = true;
      hasProse ||= /[^\r\n]/.test(bytes.toString('latin1', at + delimiter.length + 2));
      break;
    }
    if (head === 'cut') break;
    const next = bytes.indexOf(delimiter, head.end, 'latin1');
    const valueEnd = next === -1 ? null : next;
    parts.push({ ...partHead(head.text), start: at + 2, valueStart: head.end, valueEnd });
    if (parts.length > MAX_PARTS)
      throw new GatewayError('VALIDATION_FAILED', { message: `A form has at most ${MAX_PARTS} parts.` });
    if (next === -1) break;
    at = next;
  }
  if (parts.filter(({ name }) => name === 'model').length > 1) throw secondModel();
  return { boundary, bytes, parts, isEnded, hasProse };
}

export const secondModel = (): GatewayError =>
  new GatewayError('VALIDATION_FAILED', { message: 'The form names more than one model.', param: 'model' });

/** The headers of the part whose delimiter ends at `from`, and where its value begins. */
function headAt(bytes: Buffer, from: number): { text: string; end: number } | 'last' | 'cut' | null {
  const mark = bytes.toString('latin1', from, from + 2);
  if (mark === '--') return 'last';
  if (mark.length < 2) return 'cut';
  // A boundary that another one begins with: parsers do not agree on what that is.
  if (mark !== '\r\n') return null;
  const end = bytes.indexOf('\r\n\r\n', from, 'latin1');
  if (end === -1) return bytes.length - from > MAX_PART_HEADERS ? null : 'cut';
  if (end - from > MAX_PART_HEADERS) return null;
  return { text: bytes.toString('utf8', from, end), end: end + 4 };
}

/** The text of a field; null when the form has none of that name, or none that is held whole. */
export function fieldOf({ bytes, parts }: Form, name: string): string | null {
  const part = parts.find((candidate) => candidate.name === name && !candidate.isFile);
  if (!part || part.valueEnd === null) return null;
  return bytes.toString('utf8', part.valueStart, part.valueEnd);
}
