import { describe, expect, it } from '@jest/globals';
import {
  type GuardrailOrigin,
  type GuardrailProblems,
  type Phase,
  type PreparedGuardrail,
  parseGuardrail,
  prepareGuardrail,
  problemsOf,
} from '../../src/guardrails/index.ts';

const definitionOf = (checks: unknown, actions?: unknown) => {
  const parsed = parseGuardrail({ checks, actions });
  if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
  return parsed.definition;
};

const prepared = (
  checks: unknown,
  actions: unknown = {},
  phase: Phase = 'input',
  origin: GuardrailOrigin = 'config',
): PreparedGuardrail | GuardrailProblems =>
  prepareGuardrail(definitionOf(checks, actions), { id: 'g', versionId: null, name: null, phase, origin });

const words = { id: 'default.wordCount', parameters: { minWords: 1, maxWords: 5 } };

describe('a guardrail as it is written', () => {
  it('is read with its defaults', () => {
    expect(definitionOf([words])).toEqual({
      checks: [{ ...words, is_enabled: true }],
      actions: { deny: false, async: false, sequential: false, soft_deny_200: false },
    });
  });

  it.each([
    ['no checks', { checks: [] }, 'checks'],
    ['an unknown member', { checks: [{ ...words, colour: 'red' }] }, 'checks[0].colour'],
    ['an unknown action', { checks: [words], actions: { denies: true } }, 'actions.denies'],
    ['a scope there is none of', { checks: [words], actions: { scope: 'first' } }, 'actions.scope'],
    [
      'feedback off the scale',
      { checks: [words], actions: { on_fail: { feedback: { value: 11 } } } },
      'actions.on_fail.feedback.value',
    ],
  ])('with %s is refused where it is wrong', (_what, written, path) => {
    expect(parseGuardrail(written)).toEqual({ problems: [{ path, message: expect.any(String) }] });
  });
});

describe('a guardrail for a phase', () => {
  it('names what would do for an unknown check', () => {
    expect(prepared([words, { id: 'default.wordCounts' }])).toEqual({
      problems: [
        { path: 'checks[1].id', message: expect.stringMatching(/no check default\.wordCounts.*wordCount/) },
      ],
    });
  });

  it('takes a check by its bare name', () => {
    expect(prepared([{ ...words, id: 'wordCount' }])).toMatchObject({
      checks: [{ id: 'default.wordCount' }],
    });
  });

  it('says where the parameters of a check are wrong', () => {
    expect(
      prepared([
        { ...words, parameters: { minWords: 'two' } },
        { ...words, parameters: { minWords: 6, maxWords: 5 } },
      ]),
    ).toEqual({
      problems: [
        { path: 'checks[0].parameters.minWords', message: expect.any(String) },
        { path: 'checks[1].parameters', message: 'minWords must not be above maxWords' },
      ],
    });
  });

  it('leaves out a check that is not enabled, and refuses it all the same where it is wrong', () => {
    expect(prepared([words, { ...words, is_enabled: false }])).toMatchObject({ checks: [{}] });
    expect(prepared([words, { id: 'nothing', is_enabled: false }])).toHaveProperty('problems');
  });

  it('lets an enforced refusal fail on errors, and a check say otherwise', () => {
    const ofChecks = (...args: Parameters<typeof prepared>) => {
      const guardrail = prepared(...args);
      return 'checks' in guardrail ? guardrail.checks.map(({ failsOnError }) => failsOnError) : guardrail;
    };
    const either = [words, { ...words, parameters: { failOnError: false } }];
    expect(ofChecks(either, { deny: true }, 'input', 'organisation')).toEqual([true, false]);
    expect(ofChecks(either, { deny: false }, 'input', 'organisation')).toEqual([false, false]);
    expect(ofChecks([{ ...words, parameters: { failOnError: true } }])).toEqual([true]);
    expect(ofChecks([{ ...words, parameters: { failOnError: 'yes' } }])).toEqual({
      problems: [{ path: 'checks[0].parameters.failOnError', message: 'must be true or false' }],
    });
  });

  it.each([
    ['default.addPrefix', { prefix: 'a' }],
    ['default.inlineImageUrls', {}],
    ['exa.online', { apiKey: 'k' }],
    ['tavily', { apiKey: 'k' }],
    ['lakera', { apiKey: 'k', redact: true }],
  ])('refuses %s where nobody waits for what it changes', (id, parameters) => {
    const check = { id, parameters };
    expect(prepared([check], { async: true })).toEqual({
      problems: [{ path: 'checks[0]', message: expect.stringContaining('nobody waits for') }],
    });
    expect(prepared([check])).not.toHaveProperty('problems');
  });

  it('refuses a window for a check that needs the whole text, on output only', () => {
    expect(prepared([words], { stream: 'window' }, 'output')).toEqual({
      problems: [{ path: 'checks[0]', message: expect.stringContaining('hold or report') }],
    });
    expect(prepared([words], { stream: 'window' }, 'input')).not.toHaveProperty('problems');
  });

  it('reports on streams unless it refuses', () => {
    expect(prepared([words], {}, 'output')).toMatchObject({ stream: 'report' });
    expect(prepared([words], { deny: true }, 'output')).toMatchObject({ stream: 'hold' });
    expect(prepared([words], { deny: true, async: true }, 'output')).toMatchObject({ stream: 'report' });
  });
});

describe('a guardrail that is saved', () => {
  it('is sound when it can be used in one phase', () => {
    expect(problemsOf(definitionOf([words], { stream: 'window' }), 'workspace')).toEqual([]);
    expect(problemsOf(definitionOf([{ id: 'x' }]), 'workspace')).toEqual([
      { path: 'checks[0].id', message: expect.any(String) },
    ]);
  });
});
