import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { decodedAcross } from '../../../../src/guardrails/segments/views/across.ts';
import { type DecodedRun, decodedRuns } from '../../../../src/guardrails/segments/views/decoded.ts';
import { mayHide } from '../../../../src/guardrails/segments/views/may-hide.ts';

const between = [' ', '  ', '\n', '\r\n', '\\n', '"', ':', ', ', ';', '-', '. ', '0x', 'x ', ';base64,'];
const words = ['word ', 'face ', 'one.'];
const piece = fc.oneof(
  fc.constantFrom(...between, ...words),
  fc.stringMatching(/^[0-9a-f]{1,10}$/),
  fc.string({ minLength: 3, maxLength: 20 }).map((text) => Buffer.from(text).toString('base64')),
  fc
    .string({ minLength: 3, maxLength: 12 })
    .map((text) => Buffer.from(text).toString('hex').replace(/../g, '$& ')),
  fc.stringMatching(/^[a-z]{1,6}$/).map((text) => encodeURIComponent(`é${text}`)),
  fc.stringMatching(/^[a-z]{1,6}$/).map((text) => `\\u00${text.charCodeAt(0).toString(16)}`),
);
const parts = fc.array(
  fc.array(piece, { maxLength: 8 }).map((pieces) => pieces.join('')),
  { minLength: 2, maxLength: 5 },
);

const asText = ({ start, end, text }: DecodedRun) => `${start}-${end} ${text}`;

describe('what is coded across joints', () => {
  test('is found as if all of the text were decoded', () => {
    let crossing = 0;
    fc.assert(
      fc.property(parts, (all) => {
        const joints: number[] = [];
        let length = 0;
        for (const part of all.slice(0, -1)) {
          length += part.length;
          joints.push(length);
        }
        const text = all.join('');
        const crosses = ({ start, end }: DecodedRun) => joints.some((joint) => start < joint && joint < end);
        const whole = decodedRuns(text).filter(crosses).map(asText);
        crossing += whole.length;
        expect(new Set(decodedAcross(text, joints).filter(crosses).map(asText))).toEqual(new Set(whole));
      }),
      { numRuns: 1000 },
    );
    expect(crossing).toBeGreaterThan(250);
  });

  test('is looked for nowhere else', () => {
    const part = 'coded=%41 and more of it. '.repeat(3);
    expect(decodedRuns(part + part)).not.toEqual([]);
    expect(decodedAcross(part + part, [part.length])).toEqual([]);
  });

  test('is nothing where a text cannot hide anything', () => {
    let open = 0;
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
        const text = pieces.join('');
        if (mayHide(text)) return;
        open += 1;
        expect(decodedRuns(text)).toEqual([]);
      }),
      { numRuns: 3000 },
    );
    expect(open).toBeGreaterThan(250);
  });
});
