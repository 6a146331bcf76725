import { readFileSync } from 'node:fs';
import { describe, expect, it, test } from '@jest/globals';
import { secretsIn } from '../../../../src/guardrails/checks/secrets/secrets.ts';
import { edited, problemsOf, reachOfCheck, run } from '../checked.ts';
import { prose } from '../prose.ts';
import { seeded } from '../random.ts';
import { madeUp } from './made-up.ts';

const SECRETS = 'gateway.secrets';
const SAMPLES = 50;

describe('secrets of every form', () => {
  it('are found at least 98 times in 100', () => {
    const random = seeded(11);
    const missed: string[] = [];
    const makers = Object.entries(madeUp);
    for (const [name, make] of makers) {
      for (let sample = 0; sample < SAMPLES; sample += 1) {
        const value = make(random);
        const before = `${prose(random, 80)}Then `;
        const found = secretsIn(`${before}${value}\n${prose(random, 80)}`);
        const until = before.length + value.length;
        if (!found.some(({ start, end }) => start >= before.length && end <= until))
          missed.push(`${name}: ${value}`);
      }
    }
    const planted = makers.length * SAMPLES;
    expect(missed.slice(planted * 0.02)).toEqual([]);
    // What the guide says is to be true.
    expect(readFileSync('docs/guardrails.md', 'utf8')).toContain(
      `| secrets of ${makers.length} kinds | ${planted - missed.length} of ${planted} |`,
    );
  });

  test.each(Object.keys(madeUp))('are called by their name: %s', (name) => {
    const value = madeUp[name]?.(seeded(3)) ?? '';
    expect(secretsIn(`It was ${value} there`).map((found) => found.name)).toContain(name);
  });

  it('raise at most one false alarm in 100 kB of prose', () => {
    const text = prose(seeded(6), 1_000_000);
    expect(secretsIn(text).map(({ name, start, end }) => `${name} ${text.slice(start, end)}`)).toEqual([]);
  });

  test.each([
    'password: your-password-here-123',
    `API_KEY=${'$'}{API_KEY_2}`,
    'token = <TOKEN_123456>',
    'the token is a1',
    'password: ********12',
    'secret: process.env.SECRET_2',
    'The password is documented in chapter 12',
    `postgres://user:${'$'}{PASSWORD}@host/db`,
    'AKIA is the beginning of 20 characters',
    'sk-learn and sk_live are words',
  ])('are not seen in %j', (text) => {
    expect(secretsIn(text)).toEqual([]);
  });
});

describe(SECRETS, () => {
  const token = madeUp.github_token?.(seeded(1)) ?? '';
  const key = madeUp.private_key?.(seeded(1)) ?? '';

  it('fails on one, and tells its kind alone', async () => {
    const finding = await run(SECRETS, {}, { texts: [`a ${token}`, key] });
    expect(finding).toEqual({
      verdict: false,
      data: { detected: { github_token: 1, private_key: 1 }, redact: false },
      edits: [],
    });
  });

  it('redacts whole keys, also one that is cut off', async () => {
    const texts = [`a ${token} b ${token}`, `c\n${key}\nd`, key.slice(0, 200)];
    const finding = await run(SECRETS, { redact: true }, { texts });
    expect([finding.verdict, edited({ texts }, finding)]).toEqual([
      true,
      ['a {{SECRET_1}} b {{SECRET_1}}', 'c\n{{SECRET_2}}\nd', '{{SECRET_3}}'],
    ]);
  });

  it('leaves JSON within JSON whole', async () => {
    const given = { text: '{\\"apiKey\\":\\"hunter2x9Qz7\\",\\"n\\":1}' };
    expect(edited(given, await run(SECRETS, { redact: true }, given))).toEqual([
      '{\\"apiKey\\":\\"{{SECRET_1}}\\",\\"n\\":1}',
    ]);
  });

  it('finds the password of an address without a user', async () => {
    const given = { text: 'redis://:hunter2x9Qz7@cache:6379' };
    expect(edited(given, await run(SECRETS, { redact: true }, given))).toEqual([
      'redis://:{{SECRET_1}}@cache:6379',
    ]);
  });

  it('redacts the value and leaves its name', async () => {
    const given = { text: 'password = "hunter2x9Qz7"' };
    expect(edited(given, await run(SECRETS, { redact: true }, given))).toEqual(['password = "{{SECRET_1}}"']);
  });

  it('passes on prose', async () => {
    expect((await run(SECRETS, {}, { text: 'nothing here' })).verdict).toBe(true);
  });

  it('reaches further where it redacts', () => {
    expect([reachOfCheck(SECRETS, {}), reachOfCheck(SECRETS, { redact: true })]).toEqual([512, 7_000]);
  });

  it('refuses what it does not know', () => {
    expect(problemsOf(SECRETS, { redact: 'yes' })).toEqual([expect.stringMatching(/^redact: /)]);
  });
});
