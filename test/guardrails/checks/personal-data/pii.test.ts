import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { edited, problemsOf, reachOfCheck, run } from '../checked.ts';
import { type Loopback, networkServices, startLoopback } from '../loopback.ts';

const PII = 'gateway.pii';

let analyzer: Loopback;
beforeAll(async () => {
  analyzer = await startLoopback();
});
afterAll(() => analyzer.stop());

const every = [
  ...['EMAIL_ADDRESS', 'PHONE_NUMBER', 'IP_ADDRESS', 'CREDIT_CARD', 'SSN'],
  ...['IBAN', 'MAC_ADDRESS', 'DATE_OF_BIRTH'],
];
const redacted = async (text: string, categories: readonly string[] = every) =>
  edited({ text }, await run(PII, { categories, redact: true }, { text }))[0];

describe(PII, () => {
  test.each<[string, string]>([
    ['Write to ann.lee+x@mail.example.co.uk!', 'Write to {{EMAIL_ADDRESS_1}}!'],
    ['<a@b.io>, a@b.io and c@d.io', '<{{EMAIL_ADDRESS_1}}>, {{EMAIL_ADDRESS_1}} and {{EMAIL_ADDRESS_2}}'],
    ['münchen@beispiel.de', '{{EMAIL_ADDRESS_1}}'],
    ['Card 4111 1111 1111 1111 or 378282246310005.', 'Card {{CREDIT_CARD_1}} or {{CREDIT_CARD_2}}.'],
    ['12 4111-1111-1111-1111', '12 {{CREDIT_CARD_1}}'],
    ['Pay DE89 3704 0044 0532 0130 00 now', 'Pay {{IBAN_1}} now'],
    ['gb82west12345698765432', '{{IBAN_1}}'],
    [
      'SSN 219-09-9999, social security number is 219099999',
      'SSN {{SSN_1}}, social security number is {{SSN_2}}',
    ],
    ['From 203.0.113.9 and 2001:db8:85a3::8a2e:370:7334', 'From {{IP_ADDRESS_1}} and {{IP_ADDRESS_2}}'],
    ['00:1B:44:11:3A:B7', '{{MAC_ADDRESS_1}}'],
    ['DOB: 12/31/1980, geboren am 3. März 1975', 'DOB: {{DATE_OF_BIRTH_1}}, geboren am {{DATE_OF_BIRTH_2}}'],
    ['+49 30 901820, (415) 555-2671', '{{PHONE_NUMBER_1}}, {{PHONE_NUMBER_2}}'],
    ['Ann,4111111111111111,2027', 'Ann,{{CREDIT_CARD_1}},2027'],
    ['42,4111111111111111,No.378282246310005', '42,{{CREDIT_CARD_1}},No.{{CREDIT_CARD_2}}'],
    [
      '4111\u20111111\u20111111\u20111111 or 4111\u20131111\u20131111\u20131111',
      '{{CREDIT_CARD_1}} or {{CREDIT_CARD_2}}',
    ],
    ['4111  1111  1111  1111, 4111_1111_1111_1111', '{{CREDIT_CARD_1}}, {{CREDIT_CARD_2}}'],
    ['{"ssn":"219099999","tel": "4155552671"}', '{"ssn":"{{SSN_1}}","tel": "{{PHONE_NUMBER_1}}"}'],
    ['{\\"phone_number\\": \\"4155552671\\"}', '{\\"phone_number\\": \\"{{PHONE_NUMBER_1}}\\"}'],
    ['SSN: 219.09.9999, no.219-09-9998, 219 - 09 - 9997', 'SSN: {{SSN_1}}, no.{{SSN_2}}, {{SSN_3}}'],
    ['Ann,+49 30 901820,2027', 'Ann,{{PHONE_NUMBER_1}},2027'],
  ])('redacts %j', async (text, expected) => {
    expect(await redacted(text)).toBe(expected);
  });

  test.each([
    'not@an, an@ddress, @handle and a@b',
    'Card 4111 1111 1111 1112, order 4111111111111111111111111111',
    'DE88 3704 0044 0532 0130 00',
    '000-12-3456, 666-12-3456, 900-12-3456, 123-00-4567, 123-45-0000, 219099999',
    'v1.2.3.4, version 10.0.19045.1, 1.2.3.4.5, 256.1.1.1',
    'std::vector, a::b, 12:30:45',
    'On 2024-01-17 at 12:30, 17.01.2024, 1 234 567 and 3.14159265358979',
    'Commit 9fceb02d0ae598e95dc970b74767f19372d61af8, id 550e8400-e29b-41d4-a716-446655440000',
    '0.4532015112830366, 1,234,567,890,123,456 and 12.4532015112830366',
    'Order 20240117-000482, invoice 4155552671, ISBN 978-3-16-148410-0',
  ])('leaves alone %j', async (text) => {
    expect(await redacted(text)).toBe(text);
  });

  it('fails on what it finds, and tells kinds and numbers alone', async () => {
    const finding = await run(PII, { categories: every }, { texts: ['a@b.io', 'c@d.io 203.0.113.9'] });
    expect(finding).toEqual({
      verdict: false,
      data: { detected: { EMAIL_ADDRESS: 2, IP_ADDRESS: 1 }, redact: false },
      edits: [],
    });
  });

  it('passes on what it redacts, on other kinds and on what is allowed', async () => {
    const text = 'a@b.io';
    expect((await run(PII, { categories: every, redact: true }, { text })).verdict).toBe(true);
    expect((await run(PII, { categories: ['SSN'] }, { text })).verdict).toBe(true);
    expect((await run(PII, { categories: every, allowList: ['A@B.io'] }, { text })).verdict).toBe(true);
  });

  it('gives equal texts the same number throughout a call', async () => {
    const texts = ['a@b.io', 'c@d.io', 'a@b.io'];
    const finding = await run(PII, { categories: every, redact: true }, { texts });
    expect(edited({ texts }, finding)).toEqual([
      '{{EMAIL_ADDRESS_1}}',
      '{{EMAIL_ADDRESS_2}}',
      '{{EMAIL_ADDRESS_1}}',
    ]);
  });

  it('reaches over the longest kind that it looks for', () => {
    expect(reachOfCheck(PII, { categories: ['EMAIL_ADDRESS', 'SSN'] })).toBe(320);
    expect(reachOfCheck(PII, { categories: ['CREDIT_CARD'] })).toBe(33);
  });

  test.each<[object, RegExp]>([
    [{}, /^categories: /],
    [{ categories: [] }, /^categories: /],
    [{ categories: ['PASSPORT'] }, /^categories\.0: .*"EMAIL_ADDRESS"/],
    [{ categories: ['SSN', 'NAME'] }, /^categories\.1: NAME cannot be told by its form: set `service`/],
    [{ categories: ['LOCATION_ADDRESS'] }, /^categories\.0: LOCATION_ADDRESS/],
    [{ categories: ['NAME'], service: { url: 'presidio' } }, /^service\.url: /],
    [
      { categories: ['NAME'], service: { url: 'https://a.example', language: 'english' } },
      /^service\.language: /,
    ],
    [{ categories: ['SSN'], timeout: 0 }, /^timeout: /],
  ])('refuses %j', (parameters, problem) => {
    expect(problemsOf(PII, parameters)).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
  });
});

describe('names and places', () => {
  const services = networkServices();
  const named = (text: string) =>
    run(
      PII,
      { categories: ['NAME', 'EMAIL_ADDRESS'], redact: true, service: { url: analyzer.url, threshold: 0.4 } },
      { text },
      services,
    );

  it('are found by the analyzer, beyond characters of two units', async () => {
    analyzer.received.length = 0;
    analyzer.answer = () => ({ body: [{ entity_type: 'PERSON', start: 2, end: 9, score: 0.85 }] });
    const text = '😀 Ann Lee, a@b.io';
    expect(edited({ text }, await named(text))).toEqual(['😀 {{NAME_1}}, {{EMAIL_ADDRESS_1}}']);
    expect(analyzer.received[0]?.path).toBe('/analyze');
    expect(JSON.parse(analyzer.received[0]?.body ?? '')).toEqual({
      text,
      language: 'en',
      score_threshold: 0.4,
      entities: ['PERSON'],
    });
  });

  it('are found in long texts once, piece by piece', async () => {
    analyzer.received.length = 0;
    analyzer.answer = ({ body }) => {
      const start = (JSON.parse(body) as { text: string }).text.indexOf('Ann');
      return { body: start < 0 ? [] : [{ entity_type: 'PERSON', start, end: start + 3, score: 1 }] };
    };
    const text = `${'x'.repeat(9_900)} Ann ${'y'.repeat(9_000)}`;
    expect(edited({ text }, await named(text))).toEqual([text.replace('Ann', '{{NAME_1}}')]);
    expect(analyzer.received).toHaveLength(2);
  });

  test.each([[{ status: 500 }], [{ body: {} }], [{ body: [{ start: 1 }] }], [{ body: 'rubbish' }]])(
    'make an error where the analyzer answers %j',
    async (answer) => {
      analyzer.answer = () => answer;
      await expect(named('Ann')).rejects.toThrow('analyzer');
    },
  );
});
