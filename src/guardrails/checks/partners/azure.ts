import { z } from 'zod';
import { urlParameter } from '../remote/common.ts';
import { booleanOf, listOf, numberOf, objectOf, placeholderOf, textOf } from './answers.ts';
import { definePartner } from './define-partner.ts';
import { apiKey, hostLabel, name, trimmed } from './shapes.ts';

const resource = {
  resourceName: hostLabel('The name of the Azure resource.').optional(),
  customHost: urlParameter.optional().describe('The address of the resource, where it has one of its own.'),
  apiKey,
};

const host = ['resourceName', 'customHost'] as const;

type Resource = { resourceName?: string | undefined; customHost?: string | undefined; apiKey: string };

function addressOf({ resourceName, customHost }: Resource): string {
  if (customHost !== undefined) return trimmed(customHost);
  return `https://${resourceName}.cognitiveservices.azure.com`;
}

const headersOf = ({ apiKey: key }: Resource) => ({ 'ocp-apim-subscription-key': key });
const version = (usual: string) =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\d(?:-preview)?$/, 'is no version such as 2024-09-01')
    .default(usual)
    .describe('The version of the interface.');

const categories = ['Hate', 'SelfHarm', 'Sexual', 'Violence'] as const;

export const azureContentSafety = definePartner({
  id: 'azure.contentSafety',
  description:
    'Passes when Azure AI Content Safety finds no harm of the severity, and nothing of a blocklist.',
  phases: ['input', 'output'],
  judgesPieces: true,
  oneOf: host,
  shape: {
    ...resource,
    apiVersion: version('2024-09-01'),
    categories: z
      .array(z.enum(categories))
      .min(1)
      .max(4)
      .default([...categories])
      .describe('Kinds of harm.'),
    severity: z.int().min(1).max(7).default(2).describe('The severity from which a text fails.'),
    blocklistNames: z
      .array(name('A blocklist.'))
      .max(20)
      .default([])
      .describe('Blocklists of the resource that count too.'),
  },
  maxText: 10_000,
  request: ({ text, parameters }) => ({
    url: `${addressOf(parameters)}/contentsafety/text:analyze?api-version=${parameters.apiVersion}`,
    headers: headersOf(parameters),
    body: { text, categories: parameters.categories, blocklistNames: parameters.blocklistNames },
  }),
  verdict(answer, { parameters }) {
    const { categoriesAnalysis, blocklistsMatch } = objectOf(answer);
    const harmful = listOf(categoriesAnalysis, 'analysis of categories')
      .filter(({ severity }) => numberOf(severity, 'severity') >= parameters.severity)
      .map(({ category }) => textOf(category, 'category'));
    const listed = listOf(blocklistsMatch ?? [], 'matches of blocklists').map(
      ({ blocklistName }) => `blocklist ${textOf(blocklistName, 'blocklist')}`,
    );
    const reasons = [...harmful, ...listed];
    return { passes: reasons.length === 0, reasons };
  },
});

export const azureShieldPrompt = definePartner({
  id: 'azure.shieldPrompt',
  description: 'Passes when Azure Prompt Shields sees no attack in the prompt and in what tools answered.',
  phases: ['input'],
  oneOf: host,
  shape: { ...resource, apiVersion: version('2024-09-01') },
  maxText: 10_000,
  request: ({ text, input, parameters }) => ({
    url: `${addressOf(parameters)}/contentsafety/text:shieldPrompt?api-version=${parameters.apiVersion}`,
    headers: headersOf(parameters),
    body: { userPrompt: text, documents: documentsOf(input.segments) },
  }),
  verdict(answer) {
    const { userPromptAnalysis, documentsAnalysis } = objectOf(answer);
    const isAttacked = (analysis: unknown) =>
      booleanOf(objectOf(analysis, 'analysis').attackDetected, 'analysis');
    const reasons = [
      ...(isAttacked(userPromptAnalysis) ? ['userPrompt'] : []),
      ...(listOf(documentsAnalysis ?? [], 'analysis of documents').some(isAttacked) ? ['documents'] : []),
    ];
    return { passes: reasons.length === 0, reasons };
  },
});

/** The service takes five documents of 10,000 characters in all. */
const documentsOf = (segments: readonly { kind: string; text: string }[]): string[] =>
  segments
    .filter(({ kind }) => kind === 'tool_result')
    .slice(-5)
    .map(({ text }) => text.slice(0, 2_000));

/** Shorter texts are refused by the service. */
const MIN_MATERIAL = 111;

export const azureProtectedMaterial = definePartner({
  id: 'azure.protectedMaterial',
  description: 'Passes when Azure AI Content Safety knows no protected material in the answer.',
  phases: ['output'],
  judgesPieces: true,
  oneOf: host,
  shape: { ...resource, apiVersion: version('2024-09-01') },
  maxText: 10_000,
  request: ({ text, parameters }) =>
    text.length < MIN_MATERIAL
      ? null
      : {
          url: `${addressOf(parameters)}/contentsafety/text:detectProtectedMaterial?api-version=${parameters.apiVersion}`,
          headers: headersOf(parameters),
          body: { text },
        },
  verdict(answer) {
    const { protectedMaterialAnalysis } = objectOf(answer);
    const detected = booleanOf(objectOf(protectedMaterialAnalysis, 'analysis').detected, 'analysis');
    return { passes: !detected, reasons: detected ? ['protectedMaterial'] : [] };
  },
});

export const azurePii = definePartner({
  id: 'azure.pii',
  description: 'Passes when Azure AI Language finds no personal data, or all of it is redacted.',
  phases: ['input', 'output'],
  canRedact: true,
  oneOf: host,
  shape: {
    ...resource,
    apiVersion: version('2024-11-01'),
    language: z.string().min(2).max(10).default('en').describe('The language of the texts.'),
    domain: z.enum(['none', 'phi']).default('none').describe('`phi` looks for data about health alone.'),
    piiCategories: z
      .array(name('A category.'))
      .max(200)
      .optional()
      .describe('The categories to look for, such as `Person`; all of them where it is absent.'),
  },
  maxText: 5_000,
  request: ({ text, parameters }) => ({
    url: `${addressOf(parameters)}/language/:analyze-text?api-version=${parameters.apiVersion}`,
    headers: headersOf(parameters),
    body: {
      kind: 'PiiEntityRecognition',
      parameters: {
        modelVersion: 'latest',
        domain: parameters.domain,
        stringIndexType: 'Utf16CodeUnit',
        ...(parameters.piiCategories && { piiCategories: parameters.piiCategories }),
      },
      analysisInput: { documents: [{ id: '0', text, language: parameters.language }] },
    },
  }),
  verdict(answer) {
    const { documents, errors } = objectOf(objectOf(answer).results, 'results');
    if (listOf(errors ?? [], 'errors').length > 0) throw new Error('The service could not read the text.');
    const entities = listOf(documents, 'documents').flatMap((document) =>
      listOf(document.entities, 'entities'),
    );
    const spans = entities.map(({ category, offset, length }) => {
      const start = numberOf(offset, 'offset');
      return {
        start,
        end: start + numberOf(length, 'length'),
        category: placeholderOf(textOf(category, 'category')),
      };
    });
    return { passes: spans.length === 0, reasons: spans.map(({ category }) => category), spans };
  },
});
