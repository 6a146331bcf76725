import { fencedBlocks } from './fenced-blocks.ts';

/** The most places of one text at which an object may begin: each is read to its end, at worst to that of the text. */
const MAX_PLACES = 100;

/** The JSON of a text: of its fenced blocks first, then the objects between braces in the rest. */
export function* jsonIn(text: string): Generator<unknown> {
  const whole = parsed(text);
  if (whole !== undefined) {
    yield whole;
    return;
  }
  const blocks = fencedBlocks(text);
  let rest = '';
  let from = 0;
  for (const { content, start, end } of blocks) {
    const value = parsed(content);
    if (value === undefined) continue;
    yield value;
    rest += text.slice(from, start);
    from = end;
  }
  yield* objectsIn(rest + text.slice(from));
}

function* objectsIn(text: string): Generator<unknown> {
  let start = text.indexOf('{');
  for (let places = 0; start >= 0 && places < MAX_PLACES; places += 1) {
    const end = closingBrace(text, start);
    const value = end < 0 ? undefined : parsed(text.slice(start, end));
    if (value !== undefined) yield value;
    start = text.indexOf('{', value === undefined ? start + 1 : end);
  }
}

/** The place after the brace that closes the one at `start`, braces within strings apart; -1 for none. */
function closingBrace(text: string, start: number): number {
  let depth = 0;
  let isInString = false;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at];
    if (isInString) {
      if (character === '\\') at += 1;
      else if (character === '"') isInString = false;
    } else if (character === '"') isInString = true;
    else if (character === '{') depth += 1;
    else if (character === '}') {
      depth -= 1;
      if (depth === 0) return at + 1;
    }
  }
  return -1;
}

/** A JSON object or list; undefined for anything else. */
function parsed(text: string): unknown {
  const trimmed = text.trim();
  if (!trimmed.startsWith('{') && !trimmed.startsWith('[')) return undefined;
  try {
    return JSON.parse(trimmed);
  } catch {
    return undefined;
  }
}
