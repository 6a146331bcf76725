/** A text as it reads without disguise. */
export type NormalisedText = {
  text: string;
  /** By the index of each character of `text`, and of its end, where it stands in the original. */
  starts: Uint32Array;
};

/** Where a stretch of a text is written: to the end of what its last character is written with, which may say more than that. */
export function writtenSpan(starts: Uint32Array, start: number, end: number): { start: number; end: number } {
  const from = starts[start] ?? 0;
  if (end <= start) return { start: from, end: from };
  let next = end;
  while (next < starts.length - 1 && starts[next] === starts[end - 1]) next++;
  return { start: from, end: starts[next] ?? 0 };
}

/** Letters of other alphabets that look like those of the Latin one. */
const lookAlikes = new Map(
  Object.entries({
    а: 'a',
    е: 'e',
    о: 'o',
    р: 'p',
    с: 'c',
    х: 'x',
    у: 'y',
    і: 'i',
    ј: 'j',
    ѕ: 's',
    һ: 'h',
    ԁ: 'd',
    ԛ: 'q',
    ԝ: 'w',
    к: 'k',
    м: 'm',
    т: 't',
    в: 'b',
    н: 'h',
    ӏ: 'l',
    ɡ: 'g',
    ɑ: 'a',
    ı: 'i',
    А: 'A',
    В: 'B',
    Е: 'E',
    К: 'K',
    М: 'M',
    Н: 'H',
    О: 'O',
    Р: 'P',
    С: 'C',
    Т: 'T',
    Х: 'X',
    У: 'Y',
    І: 'I',
    Ѕ: 'S',
    Ј: 'J',
    Α: 'A',
    Β: 'B',
    Ε: 'E',
    Ζ: 'Z',
    Η: 'H',
    Ι: 'I',
    Κ: 'K',
    Μ: 'M',
    Ν: 'N',
    Ο: 'O',
    Ρ: 'P',
    Τ: 'T',
    Υ: 'Y',
    Χ: 'X',
    α: 'a',
    ε: 'e',
    ι: 'i',
    κ: 'k',
    ν: 'v',
    ο: 'o',
    ρ: 'p',
    τ: 't',
    υ: 'u',
    χ: 'x',
    γ: 'y',
    ᴀ: 'a',
    ʙ: 'b',
    ᴄ: 'c',
    ᴅ: 'd',
    ᴇ: 'e',
    ꜰ: 'f',
    ɢ: 'g',
    ʜ: 'h',
    ɪ: 'i',
    ᴊ: 'j',
    ᴋ: 'k',
    ʟ: 'l',
    ᴍ: 'm',
    ɴ: 'n',
    ᴏ: 'o',
    ᴘ: 'p',
    ʀ: 'r',
    ꜱ: 's',
    ᴛ: 't',
    ᴜ: 'u',
    ᴠ: 'v',
    ᴡ: 'w',
    ʏ: 'y',
    ᴢ: 'z',
  }),
);

const plain = /^\p{ASCII}*$/u;
/** What no screen shows: format characters, tags, selectors of variants, fillers. */
const unseen =
  /\p{Cf}|\p{Variation_Selector}|\u034f|\u115f|\u1160|\u17b4|\u17b5|[\u180b-\u180f]|\u3164|\uffa0/u;
const mark = /\p{M}/u;
/** Marks that strike letters through, or stand above and below them: no word of theirs is written otherwise. */
const strokes = /([ -~])[\p{Mn}\p{Me}]+/u;

/** The text with bare characters of ASCII where marks were put onto them; null where there are none. */
export function withoutMarks(text: string): NormalisedText | null {
  if (plain.test(text) || !strokes.test(text)) return null;
  const starts: number[] = [];
  let said = '';
  let from = 0;
  const add = (part: string, start: number) => {
    for (let at = 0; at < part.length; at++) starts.push(start + at);
    said += part;
  };
  for (const match of text.matchAll(new RegExp(strokes, 'gu'))) {
    add(text.slice(from, match.index + 1), from);
    from = match.index + match[0].length;
  }
  add(text.slice(from), from);
  starts.push(text.length);
  return { text: said, starts: Uint32Array.from(starts) };
}

/**
 * The text in compatibility form, without what no screen shows; null where that is the text itself. Without `folds` the
 * characters stay as they are: a word that is looked for may be written with one that has no place in that form.
 */
export function normalised(text: string, folds = true): NormalisedText | null {
  if (plain.test(text)) return null;
  const parts: string[] = [];
  const starts: number[] = [];
  const add = (said: string, start: number) => {
    parts.push(said);
    for (let at = 0; at < said.length; at++) starts.push(start);
  };
  let cluster = '';
  let from = 0;
  const close = () => {
    if (cluster !== '') add(folds ? cluster.normalize('NFKC') : cluster, from);
    cluster = '';
  };
  for (let at = 0; at < text.length; ) {
    const point = text.codePointAt(at) ?? 0;
    const character = String.fromCodePoint(point);
    if (point >= 128 && unseen.test(character)) {
      at += character.length;
      continue;
    }
    if (point < 128 || !mark.test(character)) {
      close();
      from = at;
    }
    cluster += character;
    at += character.length;
  }
  close();
  const said = parts.join('');
  if (said === text) return null;
  starts.push(text.length);
  return { text: said, starts: Uint32Array.from(starts) };
}

/** The text with Latin letters for all that look like them, each in its place; null where there are none. */
export function latinised(text: string): string | null {
  if (plain.test(text)) return null;
  const said = text.replace(
    /[\u0251-\u02ff\u0131\u0370-\u052f\u1d00-\u1d22\ua730\ua731]/g,
    (letter) => lookAlikes.get(letter) ?? letter,
  );
  return said === text ? null : said;
}
