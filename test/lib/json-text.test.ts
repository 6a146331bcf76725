import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readsOneWay } from '../../src/lib/json-text/as-read.ts';
import { inexactNumbers } from '../../src/lib/json-text/numbers.ts';
import { memberOf, spliced } from '../../src/lib/json-text/splice.ts';
import { withMember } from '../../src/lib/json-text/with-member.ts';
import { withoutMembers } from '../../src/lib/json-text/without.ts';

type Members = Record<string, unknown>;

/** A member as it is written: name and value with the white space around them. */
type Written = { name: string; text: string; value: string };

const space = fc.constantFrom('', '', ' ', '\n', '\t\r\n ');
const number = fc.constantFrom('0', '-0.0', '1.0', '12345678901234567890', '1e400', '1E-7', '0.10', '-3');
const words = fc.constantFrom(
  'text',
  '{"model":"no","x":[1,}',
  '\\',
  '\\\\"',
  'é 日本 😀',
  '"model":"@a/b"',
  `${'long '.repeat(40)}"end\\`,
  '\u2028\u0007',
);
const letters = (text: string) => text.replace(/[ -~]/g, (each) => `\\u00${each.charCodeAt(0).toString(16)}`);
const string = fc
  .tuple(words, fc.boolean())
  .map(([text, isEscaped]) =>
    isEscaped && /^[ -~]*$/.test(text) ? `"${letters(text)}"` : JSON.stringify(text),
  );
// None has a backslash: V8 takes other names for such a one, and here it says what is right.
const names = fc.constantFrom('model', 'Model', 'a', 'b', 'stream_options', 'naïve', 'say "so"', 'back/');
const name: fc.Arbitrary<Pick<Written, 'name' | 'text'>> = fc
  .tuple(names, fc.boolean())
  .map(([text, isEscaped]) => ({
    name: text,
    text: isEscaped && /^\w+$/.test(text) ? `"${letters(text)}"` : JSON.stringify(text),
  }));

const { value } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    number,
    string,
    fc.constantFrom('true', 'false', 'null'),
    tie('object'),
    tie('array'),
  ),
  object: fc
    .array(fc.tuple(space, name, space, tie('value'), space), { maxLength: 4 })
    .map((all) => `{${all.map(([a, key, b, text, c]) => `${a}${key.text}${b}:${text}${c}`).join() || ' '}}`),
  array: fc.array(tie('value'), { maxLength: 4 }).map((all) => `[ ${all.join(' ,')} ]`),
}));

const member: fc.Arbitrary<Written> = fc
  .tuple(name, space, space, value)
  .map(([key, before, behind, text]) => ({
    name: key.name,
    text: `${key.text}${before}:${behind}${text}`,
    value: text,
  }));
const body = fc.tuple(space, fc.array(member, { maxLength: 7 }), space, space);
const textOf = ([before, members, between, behind]: [string, Written[], string, string]) =>
  `${before}{${between}${members.map(({ text }) => text).join(`${between},${between}`)}${between}}${behind}`;

const newValue = fc.option(fc.constantFrom('"gpt"', '7', '{"é":[1.0]}', '"日本"'), { nil: null });
const changes = fc
  .array(fc.tuple(names, newValue), { maxLength: 5 })
  .map((all) => new Map<string, string | null>(all));

function changed(text: string, all: ReadonlyMap<string, string | null>): Members {
  const value = JSON.parse(text) as Members;
  for (const [key, to] of all) {
    if (to === null) delete value[key];
    else value[key] = JSON.parse(to);
  }
  return value;
}

describe('spliced', () => {
  test('reads as the object with the changed members, and keeps what the others are written as', () => {
    fc.assert(
      fc.property(body, changes, (written, all) => {
        const text = textOf(written);
        const result = spliced(Buffer.from(text), all).toString();
        expect(JSON.parse(result)).toEqual(changed(text, all));
        let at = 0;
        for (const kept of written[1].filter((each) => !all.has(each.name))) {
          const found = result.indexOf(kept.text, at);
          expect([kept.text, found >= at]).toEqual([kept.text, true]);
          at = found + kept.text.length;
        }
        for (const key of all.keys()) expect(timesAtTop(result, key)).toBe(all.get(key) === null ? 0 : 1);
      }),
      { numRuns: 2000 },
    );
  });

  test('changes no byte but those of the value', () => {
    fc.assert(
      fc.property(body, newValue, ([before, members, between, behind], to) => {
        const index = members.findLastIndex(({ name: each }) => each === 'model');
        const own = members[index];
        fc.pre(
          own !== undefined && to !== null && members.filter((each) => each.name === 'model').length === 1,
        );
        const replaced = {
          ...own,
          text: own.text.slice(0, own.text.length - own.value.length) + to,
        } as Written;
        const result = spliced(
          Buffer.from(textOf([before, members, between, behind])),
          new Map([['model', to]]),
        );
        expect(result.toString()).toBe(textOf([before, members.with(index, replaced), between, behind]));
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['the last of two stays', '{"model":"a","x":1,"model":"b"}', '{"x":1,"model":"m"}'],
    ['also when it is spelt with escapes', '{"mod\\u0065l":"a", "model":"b"}', '{"model":"m"}'],
    ['or the first is', '{"model":"b","\\u006dodel" : "a"}', '{"\\u006dodel" : "m"}'],
    ['one further down is another', '{"x":{"model":1},"model":2}', '{"x":{"model":1},"model":"m"}'],
    ['one within a text is none', '{"x":"\\"model\\":1","model":2}', '{"x":"\\"model\\":1","model":"m"}'],
    ['an empty object gets it', ' { } ', ' {"model":"m" } '],
    ['numbers stay', '{"n":12345678901234567890,"o":1.0}', '{"n":12345678901234567890,"o":1.0,"model":"m"}'],
  ])('%s', (_name, text, expected) => {
    expect(spliced(Buffer.from(text), new Map([['model', '"m"']])).toString()).toBe(expected);
  });

  test('finds the value of a member', () => {
    fc.assert(
      fc.property(body, names, (written, key) => {
        const last = written[1].findLast((each) => each.name === key);
        expect(memberOf(Buffer.from(textOf(written)), key)?.toString()).toBe(last?.value);
      }),
    );
  });

  test('takes bytes that are no UTF-8 as they are', () => {
    const json = Buffer.from('{"x":"\xff\xc3","model":1}', 'latin1');
    expect(spliced(json, new Map([['model', '2']])).toString('latin1')).toBe('{"x":"\xff\xc3","model":2}');
  });

  test.each([
    ['members of the same name', `{${'"model":1,'.repeat(400_000)}"model":2}`],
    ['quotes with escapes', `{"x":"${'\\"'.repeat(2_000_000)}","model":2}`],
    ['escapes alone', `{"x":"${'\\\\'.repeat(2_000_000)}","model":2}`],
    ['lists in lists', `{"x":${'['.repeat(2_000_000)}${']'.repeat(2_000_000)},"model":2}`],
  ])('reads once through 4 MB of %s', (_name, text) => {
    expect(spliced(Buffer.from(text), new Map([['model', '3']])).toString()).toMatch(/"model":3\}$/);
  });
});

describe('withMember', () => {
  const member = fc.constantFrom('"gpt"', '7', '{"é":[1.0]}', '"日本"');

  test('reads as the object with the member, which is there once, and keeps what the others are written as', () => {
    fc.assert(
      fc.property(body, names, member, (written, key, to) => {
        const text = textOf(written);
        const value = JSON.parse(text) as Members;
        const result = withMember(Buffer.from(text), value, key, to).toString();
        expect(JSON.parse(result)).toEqual({ ...value, [key]: JSON.parse(to) });
        expect(timesAtTop(result, key)).toBe(1);
        for (const kept of written[1].filter((each) => each.name !== key))
          expect(result).toContain(kept.text);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    ['an empty object', ' { } ', ' { "cap":1} '],
    ['one that ends in an empty object', '{"a":{}}\n', '{"a":{},"cap":1}\n'],
    ['bytes that are no UTF-8', '{"a":"\xff"}', '{"a":"\xff","cap":1}'],
  ])('%s', (_name, text, expected) => {
    const result = withMember(Buffer.from(text, 'latin1'), {}, 'cap', '1');
    expect(result.toString('latin1')).toBe(expected);
  });
});

describe('withoutMembers', () => {
  const paths = fc.array(
    fc.array(fc.constantFrom('a', 'b', 'model', '*', '0', '1'), { minLength: 1, maxLength: 4 }),
    { maxLength: 3 },
  );

  test('reads as the object without them, and keeps what the others are written as', () => {
    fc.assert(
      fc.property(body, paths, (written, all) => {
        const text = textOf(written);
        const value = JSON.parse(text) as Members;
        fc.pre(readsOneWay(Buffer.from(text), value));
        const result = withoutMembers(Buffer.from(text), all).toString();
        for (const path of all) drop(value, path);
        expect(rewritten(JSON.parse(result))).toEqual(rewritten(value));
        for (const kept of written[1].filter((each) => !all.some(([first]) => first === each.name)))
          expect(result).toContain(kept.text);
      }),
      { numRuns: 2000 },
    );
  });

  test('keeps numbers beside what it cuts', () => {
    const json = Buffer.from(
      '{ "a": [ {"n": 1.0, "x": 1}, {"x": 2 , "n": 12345678901234567890} ], "b": -0.0 }',
    );
    expect(withoutMembers(json, [['a', '*', 'x']]).toString()).toBe(
      '{ "a": [ {"n": 1.0}, {"n": 12345678901234567890} ], "b": -0.0 }',
    );
  });

  function drop(holder: unknown, [part, ...rest]: string[]): void {
    if (part === undefined || typeof holder !== 'object' || holder === null) return;
    if (part === '*' && Array.isArray(holder)) {
      for (const item of holder) drop(item, rest);
    } else if (Object.hasOwn(holder, part)) {
      const members = holder as Members;
      if (rest.length === 0) delete members[part];
      else drop(members[part], rest);
    }
  }
});

describe('readsOneWay', () => {
  test('is true of a text that says nothing twice', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (any) => {
        const text = JSON.stringify({ any }, null, 1);
        fc.pre(!text.includes('\\\\'));
        expect(readsOneWay(Buffer.from(text), JSON.parse(text))).toBe(true);
      }),
    );
  });

  test.each(['{"a":1,"a":1}', '{"x":[{"a":1,"\\u0061":2}]}', '{"__proto__":1,"__proto__":2}'])(
    'is false of %s',
    (text) => {
      expect(readsOneWay(Buffer.from(text), JSON.parse(text))).toBe(false);
    },
  );

  test('is false where V8 takes one name for another', () => {
    JSON.parse('{"first":1,"\\\\":0}');
    const text = '{"first":1,"\\u0066irst":2}';
    expect(readsOneWay(Buffer.from(text), JSON.parse(text))).toBe(false);
  });

  test('is false of bytes that are no UTF-8', () => {
    const json = Buffer.from('{"x":"\xc3"}', 'latin1');
    expect(readsOneWay(json, JSON.parse(json.toString()))).toBe(false);
  });
});

test('numbers that a parser takes for others are found outside texts', () => {
  const json =
    '{"a":12345678901234567890,"b":"12345678901234567890","c":[1e400, -1.5E-9,1.0,true],"d":0.1234567890123456789}';
  expect(inexactNumbers(Buffer.from(json))).toEqual([
    '12345678901234567890',
    '1e400',
    '-1.5E-9',
    '0.1234567890123456789',
  ]);
});

/** How often the object of a text has a member, in whatever spelling. */
function timesAtTop(text: string, key: string): number {
  let depth = 0;
  let count = 0;
  for (const [token] of text.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?|[[\]{}]/g)) {
    if (token === '{' || token === '[') depth++;
    else if (token === '}' || token === ']') depth--;
    else if (depth === 1 && token.endsWith(':') && JSON.parse(token.slice(0, -1)) === key) count++;
  }
  return count;
}

/** As it is after being written anew: a hole in a list, and a number that is none, are null. */
const rewritten = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
