// What checks cost on a text of 1 kB, beside one native regular expression: `npm run bench:guardrails`.

import type { CheckInput, CheckServices, RunCheck } from '../../src/guardrails/check.ts';
import { checkOf } from '../../src/guardrails/checks/index.ts';
import { parseGuardrail } from '../../src/guardrails/definition.ts';
import { CheckBreakers, CheckedJson, runPhase } from '../../src/guardrails/engine/index.ts';
import { type PreparedGuardrail, prepareGuardrail } from '../../src/guardrails/prepare.ts';
import { Placeholders } from '../../src/guardrails/segments/index.ts';

const ROUNDS = 2_000;
const SAMPLES = 7;

const sentence =
  'The quiet river carried the letter of the old teacher past 12 windows in 2024, as planned. ';
const text = sentence.repeat(12).slice(0, 1_000);
const words = Array.from({ length: 200 }, (_, index) => `forbidden${index}`);

const checks: readonly (readonly [id: string, parameters: object])[] = [
  ['default.regexMatch', { rule: '\\b(?:secret|internal)-\\d{4}\\b', not: true }],
  ['default.regexReplace', { rule: '/project-[a-z]{3,9}/i' }],
  ['default.sentenceCount', {}],
  ['default.wordCount', {}],
  ['default.characterCount', {}],
  ['default.alluppercase', { not: true }],
  ['default.alllowercase', { not: true }],
  ['default.endsWith', { suffix: 'goodbye', not: true }],
  ['default.contains', { words, operator: 'none' }],
  ['default.containsCode', { format: 'SQL', not: true }],
  ['default.jsonKeys', { keys: ['a'] }],
  ['default.jsonSchema', { schema: { type: 'object' }, not: true }],
  ['default.modelWhitelist', { models: ['gpt-5'] }],
  ['default.modelRules', { rules: { defaults: ['gpt-5'] } }],
  ['default.allowedRequestTypes', { allowedTypes: ['chatComplete'] }],
  ['default.requiredMetadataKeys', { metadataKeys: ['team'] }],
  ['default.requestParametersCheck', { params: { blockedKeys: ['seed'] } }],
  [
    'gateway.pii',
    { categories: ['EMAIL_ADDRESS', 'CREDIT_CARD', 'SSN', 'IP_ADDRESS', 'PHONE_NUMBER', 'IBAN'] },
  ],
  ['gateway.secrets', {}],
  ['gateway.promptInjectionHeuristic', {}],
];

const segment = { path: ['messages', 0, 'content'], role: 'user', kind: 'text', text } as const;
const input: CheckInput = {
  phase: 'input',
  call: {
    requestType: 'chatComplete',
    model: 'gpt-5',
    provider: 'openai',
    metadata: { team: 'red' },
    headers: {},
    isStream: false,
    organisationId: 'o',
    workspaceId: 'w',
    traceId: '0af7651916cd43dd8448eb211c80319c',
    request: { model: 'gpt-5', messages: [{ role: 'user', content: text }] },
    response: null,
    isTransformed: { request: false, response: false },
    requestText: () => text,
  },
  segments: [segment],
  text,
  signal: new AbortController().signal,
};

const unreachable = () => Promise.reject(new Error('A deterministic check asks nobody.'));
const services: CheckServices = { send: unreachable, resolves: unreachable, callModel: unreachable };

/** Microseconds of one run, the best of several samples. */
function timeOf(run: () => unknown): number {
  let best = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const startedAt = process.hrtime.bigint();
    for (let round = 0; round < ROUNDS; round += 1) run();
    best = Math.min(best, Number(process.hrtime.bigint() - startedAt) / ROUNDS / 1_000);
  }
  return best;
}

function prepared(id: string, parameters: object): RunCheck {
  const ready = checkOf(id)?.prepare(parameters);
  if (ready === undefined || 'problems' in ready) throw new Error(`${id} cannot be prepared`);
  return ready.run;
}

const runs = checks.map(([id, parameters]) => ({ id, run: prepared(id, parameters) }));
const native = /\b(?:secret|internal)-\d{4}\b/;
const rows = runs.map(({ id, run }) => ({ id, microseconds: timeOf(() => run(input, services)) }));
const all = timeOf(() => {
  for (const { run } of runs) run(input, services);
});

for (const { id, microseconds } of rows) console.log(`${microseconds.toFixed(2).padStart(9)} µs  ${id}`);
console.log(
  `${timeOf(() => native.test(text))
    .toFixed(2)
    .padStart(9)} µs  one native regular expression`,
);
console.log(`${all.toFixed(2).padStart(9)} µs  all ${runs.length} checks on 1 kB; the budget is 300 µs`);

/** The same checks as one guardrail of a call: with reading its body, and with the results as the caller gets them. */
const written = {
  checks: checks
    .filter(([id]) => checkOf(id)?.phases.includes('input'))
    .map(([id, parameters]) => ({ id, parameters })),
  actions: { deny: true },
};
const parsed = parseGuardrail(written);
if ('problems' in parsed) throw new Error(JSON.stringify(parsed.problems));
const use = { id: 'bench', versionId: null, name: null, phase: 'input', origin: 'config' } as const;
const guardrail = prepareGuardrail(parsed.definition, use);
if ('problems' in guardrail) throw new Error(JSON.stringify(guardrail.problems));
console.log(
  `${(await phaseTime(guardrail)).toFixed(2).padStart(9)} µs  those of the input, as a phase of a call`,
);

async function phaseTime(prepared: PreparedGuardrail): Promise<number> {
  const caller = { happened: false, signal: input.signal };
  const house = { services, breakers: new CheckBreakers(), longTexts: { run: unreachable } };
  let best = Number.POSITIVE_INFINITY;
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const startedAt = process.hrtime.bigint();
    for (let round = 0; round < ROUNDS; round += 1) {
      const body = new CheckedJson({ model: 'gpt-5', messages: [{ role: 'user', content: text }] }, 'input');
      const { results } = await runPhase({
        phase: 'input',
        guardrails: [prepared],
        body,
        callOf: () => input.call,
        placeholders: new Placeholders(),
        house,
        caller,
      });
      JSON.stringify(results);
    }
    best = Math.min(best, Number(process.hrtime.bigint() - startedAt) / ROUNDS / 1_000);
  }
  return best;
}
