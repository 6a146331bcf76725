/** What the headers of a part of a form say. */
export type PartHead = {
  /** Empty where it is not certain. */
  name: string;
  isFile: boolean;
  /** Every parser reads these headers the same. */
  isCertain: boolean;
};

/** Parsers do not agree on what these headers say, or do not all read them. */
const uncertain: PartHead = { name: '', isFile: false, isCertain: false };

const LINE = /^([\w-]+):([\t\x20-\x7e\x80-\uffff]*)$/;
const PARAMETERS = /^form-data((?:[ \t]*;[ \t]*[^\s;="]+=(?:"(?:[^"\\]|\\[^"])*"|[^\s";\\]+))+);?$/i;
const PARAMETER = /;[ \t]*([^\s;="]+)=(?:"((?:[^"\\]|\\[^"])*)"|([^\s";\\]+))/g;
const PLAIN_TEXT = /^[^;]*(?:;\s*charset="?(?:utf-8|us-ascii)"?)?$/i;
/** Without the characters of the encodings that only some parsers undo. */
const NAME = /^(?! )[^"\\%=?\r\n]{1,256}(?<! )$/;

/** Whether every parser reads a name as it is written. */
export const isPlainName = (name: string): boolean => NAME.test(name);

/**
 * Name and kind of a part, out of its headers (RFC 7578, section 4). Only the grammar that every client writes is read:
 * one `content-disposition`, one `name`, no continued lines, no escapes and no encodings of names and values.
 */
export function partHead(headers: string): PartHead {
  let found: PartHead | null = null;
  let isEncoded = false;
  for (const line of headers.replace(/^\r\n/, '').split('\r\n')) {
    const [, header = '', text = ''] = LINE.exec(line) ?? [];
    const [name, value] = [header.toLowerCase(), text.trim()];
    if (name === '' || (name === 'content-disposition' && found)) return uncertain;
    if (name === 'content-disposition') found = named(value);
    if (name === 'content-transfer-encoding' && !/^(?:7bit|8bit|binary)$/i.test(value)) return uncertain;
    if (name === 'content-type' && !PLAIN_TEXT.test(value)) isEncoded = true;
  }
  return !found || (isEncoded && !found.isFile) ? uncertain : found;
}

function named(disposition: string): PartHead {
  const list = PARAMETERS.exec(disposition)?.[1] ?? '';
  const values = new Map<string, string>();
  for (const [, key = '', quoted, bare] of list.matchAll(PARAMETER)) {
    const name = key.toLowerCase();
    if (values.has(name) || !/^(?:name|filename\*?)$/.test(name)) return uncertain;
    values.set(name, quoted ?? bare ?? '');
  }
  const name = values.get('name') ?? '';
  return isPlainName(name) ? { name, isFile: values.size > 1, isCertain: true } : uncertain;
}
