import { GatewayError } from '../../errors/index.ts';
import { isObject } from '../../lib/json.ts';
import { maxDepth } from '../../lib/storable.ts';
import { dataMembers } from '../../providers/native-api.ts';

/** Members by which the providers' own APIs take models; some accept them in upper and lower case. */
const names = /^(?:models?|model_?id)$/i;

/** Members with data of the caller's own, schemas of such data, or labels: a member `model` in them names no model. */
const ownData = new RegExp(
  `^(?:messages|content|inputs|instructions?|system|prediction|documents|item|template|arguments|variables|parameters|properties|labels|attributes|filters?|headers|\\w*metadata|\\w*schema|${dataMembers.join('|')})$`,
  'i',
);

/** Whether `input` is the caller's own data: at the top of a body, or as a list. In a session's `audio` it holds settings. */
const isInput = (name: string, member: unknown, level: number): boolean =>
  name === 'input' && (level === 0 || Array.isArray(member));

type Named = [place: string, model: unknown];

/**
 * What a JSON body calls a model, at any depth but in the caller's own data: of a batch, a session, a tool, a grader. Throws
 * MALFORMED_BODY for one that is nested deeper than callers may send.
 */
export function modelsInBody(body: Record<string, unknown>): Named[] {
  const found: Named[] = [];
  collect(body, '', 0, found);
  return found;
}

function collect(members: Record<string, unknown>, place: string, level: number, found: Named[]): void {
  for (const [name, member] of Object.entries(members)) {
    const at = place === '' ? name : `${place}.${name}`;
    if (names.test(name)) addModels(member, at, level + 1, found);
    else if (typeof member === 'object' && !ownData.test(name) && !isInput(name, member, level))
      collectIn(member, at, level + 1, found);
  }
}

/** A model, or each of a list. */
function addModels(value: unknown, place: string, level: number, found: Named[]): void {
  if (value === null) return;
  requireShallow(level);
  if (!Array.isArray(value)) found.push([place, value]);
  else for (const [index, item] of value.entries()) addModels(item, `${place}[${index}]`, level + 1, found);
}

function collectIn(value: unknown, place: string, level: number, found: Named[]): void {
  if (value === null) return;
  requireShallow(level);
  if (isObject(value)) collect(value, place, level, found);
  if (!Array.isArray(value)) return;
  for (const [index, item] of value.entries())
    if (typeof item === 'object') collectIn(item, `${place}[${index}]`, level + 1, found);
}

function requireShallow(level: number): void {
  if (level <= maxDepth) return;
  throw new GatewayError('MALFORMED_BODY', { message: 'The request body is nested too deeply.' });
}
