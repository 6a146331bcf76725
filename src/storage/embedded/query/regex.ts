import { BSONRegExp } from 'bson';
import { RE2JS } from 're2js';
import { badValue, CommandError } from '../errors.ts';
import { compareValues, regexParts } from '../value/compare.ts';
import { order, typeOrder } from '../value/types.ts';

/** Compiles a PCRE pattern as far as JavaScript's regular expressions go; the x flag is done by stripping. */
export function toRegExp(pattern: string, flags: string): RegExp {
  let source = pattern;
  let options = flags;
  const inline = /^\(\?([imsx]+)\)/.exec(source);
  if (inline) {
    source = source.slice(inline[0].length);
    options += inline[1] ?? '';
  }
  if (options.includes('x'))
    source = source.replace(/\\.|\[(?:\\.|[^\]])*\]|\s+|#.*$/gm, (part) => (/^[\s#]/.test(part) ? '' : part));
  for (const flag of options) {
    if (!'imsxu'.includes(flag)) throw new CommandError(51108, `invalid flag in regex options: ${flag}`);
  }
  const accepted = [...new Set(options)].filter((flag) => 'ims'.includes(flag)).join('');
  try {
    return new RegExp(source, `${accepted}u`);
  } catch {
    // Not every PCRE pattern is valid under JavaScript's unicode rules, for instance "\-" outside a class.
    try {
      return new RegExp(source, accepted);
    } catch (error) {
      throw new CommandError(51091, `Regular expression is invalid: ${(error as Error).message}`);
    }
  }
}

/** The pattern and flags of `$regex` with its `$options`. */
export function regexOperand(operand: unknown, options: unknown): { pattern: string; flags: string } {
  if (typeof operand === 'string')
    return { pattern: operand, flags: typeof options === 'string' ? options : '' };
  if (typeOrder(operand) !== order.regex) throw badValue('$regex has to be a string');
  const parts = regexParts(operand);
  if (options !== undefined && parts.flags !== '') {
    throw new CommandError(51074, 'options set in both $regex and $options');
  }
  return { pattern: parts.pattern, flags: typeof options === 'string' ? options : parts.flags };
}

/** A repeated group, or many repetitions: what a backtracking engine may need for ever to find out about. */
const explosive = /\)[*+?{]|([*+}].*){3}/;

/** A test of strings. Patterns that could explode run in linear time, as far as that engine knows them. */
function compileTest(pattern: string, flags: string): (text: string) => boolean {
  const regex = toRegExp(pattern, flags);
  const linear = explosive.test(regex.source) ? linearTest(regex) : null;
  return linear ?? ((text) => regex.test(text));
}

/** The same test by an engine without backtracking; null for look-arounds and back-references, which it lacks. */
function linearTest({ source, ignoreCase, multiline, dotAll }: RegExp): ((text: string) => boolean) | null {
  const flags =
    (ignoreCase ? RE2JS.CASE_INSENSITIVE : 0) |
    (multiline ? RE2JS.MULTILINE : 0) |
    (dotAll ? RE2JS.DOTALL : 0);
  try {
    const regex = RE2JS.compile(source, flags);
    return (text) => regex.matcher(text).find();
  } catch {
    return null;
  }
}

/** A test for strings that match, and for a stored regular expression that is the same one. */
export function compileRegex(operand: unknown, options: unknown): (value: unknown) => boolean {
  const { pattern, flags } = regexOperand(operand, options);
  const test = compileTest(pattern, flags);
  const same = new BSONRegExp(pattern, flags);
  return (value) => {
    if (typeof value === 'string') return test(value);
    return typeOrder(value) === order.regex && compareValues(value, same) === 0;
  };
}

/** The literal text that every match must begin with, when the pattern is anchored; null when there is none. */
export function literalPrefix(pattern: string, flags: string): { text: string; exact: boolean } | null {
  if (flags.replace(/s/g, '') !== '' || !pattern.startsWith('^') || pattern.includes('|')) return null;
  let text = '';
  let at = 1;
  for (; at < pattern.length; at++) {
    const character = pattern[at] as string;
    if (character === '\\') {
      const next = pattern[at + 1] ?? '';
      if (!/[^a-zA-Z0-9]/.test(next)) break;
      text += next;
      at += 1;
    } else if (/[.^$*+?()[\]{}]/.test(character)) break;
    else text += character;
  }
  const rest = pattern.slice(at);
  if (/^[*?{]/.test(rest)) text = [...text].slice(0, -1).join('');
  if (text === '') return null;
  return { text, exact: rest === '' || rest === '.*' };
}
