import { type AST, RegExpParser } from '@eslint-community/regexpp';

/**
 * A place up to `at` where a text can be cut: what it has in front of it is found there in any text that begins so, and what it
 * has behind it is found without the front. A word that has not ended is whole in neither.
 */
export type FindCut = (text: string, at: number) => number;

/** Units that a group which is repeated by its name may have at most. */
const MAX_REPEATED = 8;

/**
 * Cuts texts in front of whatever may become a match once more text comes, and within no match that is whole. `reach`: the
 * characters that any match may have; what is further away from the end does not become one any more.
 */
export function cutFinder(patterns: readonly RegExp[], reach: number): FindCut {
  const all = patterns.map(formsOf);
  return (text, at) => {
    const start = Math.max(0, text.length - reach);
    let place = at;
    if (at > start) {
      const end = text.slice(start);
      for (const { begun } of all) place = Math.min(place, start + (begun.exec(end)?.index ?? end.length));
    }
    const matches = all.flatMap(({ whole }) =>
      Array.from(text.matchAll(whole), ({ index, 0: match }) => ({ from: index, to: index + match.length })),
    );
    // From the last one on, so that a place to which one of them leads is divided by none that was looked at.
    matches.sort((one, other) => other.from - one.from);
    for (const { from, to } of matches) if (from < place && place < to) place = from;
    return place;
  };
}

/** A pattern as all its matches are looked for, and as the beginning of one at the end of a text. */
type Forms = { whole: RegExp; begun: RegExp };

const known = new WeakMap<RegExp, Forms>();

/** Made once for each pattern: checks are prepared anew for every guardrail that has them. */
function formsOf(pattern: RegExp): Forms {
  const forms = known.get(pattern) ?? {
    whole: new RegExp(pattern.source, withGlobal(pattern.flags)),
    begun: new RegExp(`(?:${begunSource(pattern)})$`, pattern.flags.replace('g', '')),
  };
  known.set(pattern, forms);
  return forms;
}

const withGlobal = (flags: string): string => (flags.includes('g') ? flags : `${flags}g`);

/** A pattern of which each part may be missing at the end of the text: it matches what may become a match of the other. */
function begunSource({ source, flags }: RegExp): string {
  const parsed = new RegExpParser().parsePattern(source, undefined, undefined, {
    unicode: flags.includes('u'),
    unicodeSets: flags.includes('v'),
  });
  return anyOf(parsed.alternatives);
}

const anyOf = (alternatives: readonly AST.Alternative[]): string =>
  alternatives.map(({ elements }) => elements.map(begunElement).join('')).join('|');

const orEnd = (source: string): string => `(?:${source}|$)`;

function begunElement(element: AST.Element): string {
  switch (element.type) {
    case 'Group':
      return `(?:${anyOf(element.alternatives)})`;
    case 'CapturingGroup':
      return `(${element.name === null ? '' : `?<${element.name}>`}${anyOf(element.alternatives)})`;
    case 'Quantifier': {
      const { raw, element: repeated } = element;
      return begunElement(repeated) + raw.slice(repeated.raw.length);
    }
    case 'Backreference':
      // Of several characters, some may be there.
      return `(?:${element.raw}|[^]{0,${MAX_REPEATED}}$)`;
    case 'Assertion':
      return begunAssertion(element);
    default:
      return orEnd(element.raw);
  }
}

function begunAssertion(assertion: AST.Assertion): string {
  switch (assertion.kind) {
    case 'lookahead':
      // What must not follow does not follow yet.
      return assertion.negate ? assertion.raw : `(?=${anyOf(assertion.alternatives)})`;
    case 'word':
      return orEnd(assertion.raw);
    case 'lookbehind':
      return assertion.raw;
    default:
      throw new Error(`What ${assertion.raw} says of a text is not known of a piece of it.`);
  }
}
