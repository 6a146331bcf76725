import { describe, expect, it, test } from '@jest/globals';
import { z } from 'zod';
import { allChecks, checkOf } from '../../../src/guardrails/checks/index.ts';

/** Every check that asks a model or a vendor, by vendor. */
const asked: readonly (readonly [vendor: string, ...names: string[]])[] = [
  ['gateway', 'moderateContent', 'language', 'pii', 'gibberish'],
  ['acuvity', 'scan'],
  ['akto'],
  ['alibaba-cloud-ai'],
  ['aporia', 'validateProject'],
  ['azure', 'contentSafety', 'pii', 'shieldPrompt', 'protectedMaterial'],
  ['bedrock', 'guard'],
  ['cato'],
  ['crowdstrike-aidr', 'guardChatCompletions'],
  ['exa', 'online'],
  ['f5-guardrails', 'scan'],
  ['javelin', 'guardrails'],
  ['lakera'],
  ['lasso', 'classify'],
  ['mistral', 'moderateContent'],
  ['pangea', 'textGuard', 'pii'],
  ['panw-prisma-airs', 'intercept'],
  ['patronus', 'phi', 'pii', 'isConcise', 'isHelpful', 'isPolite', 'noApologies', 'noGenderBias'],
  ['patronus', 'noRacialBias', 'retrievalAnswerRelevance', 'toxicity', 'custom'],
  ['pillar', 'scanPrompt', 'scanResponse'],
  ['promptfoo', 'guard', 'pii', 'harm'],
  ['promptsecurity', 'protectPrompt', 'protectResponse'],
  ['qualifire', 'contentModeration', 'hallucinations', 'pii', 'promptInjections', 'grounding'],
  ['qualifire', 'toolUseQuality', 'policy'],
  ['singulr'],
  ['sydelabs', 'sydeguard'],
  ['tavily'],
  ['walledai', 'walledprotect'],
  ['zscaler'],
];

const rows = allChecks.map((check) => [check.id, check] as const);

/** Every member of a schema, those of objects within it too, as `path` and what the schema says of it. */
function membersOf(schema: any, path = ''): [path: string, schema: any][] {
  const inner = [schema, ...(schema.anyOf ?? []), ...(schema.allOf ?? [])].flatMap((one) =>
    Object.entries(one.properties ?? {}),
  );
  return inner.flatMap(([name, member]) => [
    [`${path}${name}`, member],
    ...membersOf(member, `${path}${name}.`),
  ]) as [string, any][];
}

const formOf = (parameters: z.ZodType) => z.toJSONSchema(parameters, { io: 'input' });

describe('the table of checks', () => {
  it('has every id once, other spellings included', () => {
    const ids = allChecks.flatMap(({ id, aliases }) => [id, ...aliases]);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(ids.filter((id) => checkOf(id) === undefined)).toEqual([]);
  });

  test.each([
    ...[
      'regexMatch',
      'regexReplace',
      'sentenceCount',
      'wordCount',
      'characterCount',
      'alluppercase',
      'alllowercase',
    ],
    ...[
      'endsWith',
      'jsonSchema',
      'jsonKeys',
      'contains',
      'containsCode',
      'validUrls',
      'notNull',
      'modelWhitelist',
    ],
    ...[
      'modelRules',
      'allowedRequestTypes',
      'requiredMetadataKeys',
      'requiredMetadataKeyValuePairs',
      'webhook',
    ],
    ...['requestParametersCheck', 'jwt', 'inlineImageUrls', 'addPrefix', 'log'],
  ])('has default.%s', (name) => {
    expect(checkOf(`default.${name}`)?.id).toBe(`default.${name}`);
  });

  test.each(
    asked.flatMap(([vendor, ...names]) =>
      names.length === 0 ? [vendor] : names.map((name) => `${vendor}.${name}`),
    ),
  )('has %s', (id) => {
    expect(checkOf(id)?.id).toBe(id);
  });

  test.each(rows)(
    'has a form for %s, with a sentence for each parameter',
    (_id, { parameters, description }) => {
      expect(description).toMatch(/\.$/);
      const silent = membersOf(formOf(parameters)).filter(([, member]) => !('description' in member));
      expect(silent.map(([path]) => path).filter((path) => !path.includes('.'))).toEqual([]);
    },
  );

  test.each(rows)('marks the credentials of %s as secrets', (_id, { parameters }) => {
    const open = membersOf(formOf(parameters)).filter(
      ([path, member]) =>
        /(?:api|access|account)_?key|token$|secret|password|^headers$/i.test(path) &&
        !/max|names?$|headerKey|maxTokenAge|^secrets/i.test(path) &&
        member.secret !== true,
    );
    expect(open.map(([path]) => path)).toEqual([]);
  });
});
