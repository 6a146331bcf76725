import { spliced } from './splice.ts';

const SPACE = 0x20;
const OPENING = 0x7b;

/**
 * The text of a JSON object with another value of one member; `value` is what the text was parsed to. One that is not there is
 * written at the end, for which nothing but the end of the text is read.
 */
export const withMember = (
  json: Buffer,
  value: Readonly<Record<string, unknown>>,
  name: string,
  member: string,
): Buffer =>
  Object.hasOwn(value, name) ? spliced(json, new Map([[name, member]])) : appended(json, name, member);

function appended(json: Buffer, name: string, member: string): Buffer {
  const end = lastInk(json, json.length - 1);
  const isEmpty = json[lastInk(json, end - 1)] === OPENING;
  const added = `${isEmpty ? '' : ','}${JSON.stringify(name)}:${member}`;
  return Buffer.concat([json.subarray(0, end), Buffer.from(added), json.subarray(end)]);
}

/** Where the last character up to a place is that is no white space. */
function lastInk(json: Buffer, from: number): number {
  let at = from;
  while (at > 0 && (json[at] as number) <= SPACE) at -= 1;
  return at;
}
