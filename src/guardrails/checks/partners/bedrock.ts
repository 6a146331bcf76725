import { z } from 'zod';
import { isObject, type JsonObject } from '../../../lib/json.ts';
import { sign } from '../../../providers/credentials/aws/sign.ts';
import { secretParameter } from '../remote/common.ts';
import { listOf, objectOf, textOf } from './answers.ts';
import { definePartner } from './define-partner.ts';
import { name, pathSegment } from './shapes.ts';

/** The parts of an assessment that say what was found. */
const policies = [
  'topicPolicy',
  'contentPolicy',
  'wordPolicy',
  'sensitiveInformationPolicy',
  'contextualGroundingPolicy',
];

export const bedrockGuard = definePartner({
  id: 'bedrock.guard',
  description: 'Passes when a guardrail of Amazon Bedrock does not intervene, or masks all that it found.',
  phases: ['input', 'output'],
  canRedact: true,
  shape: {
    guardrailId: pathSegment('The id of the guardrail.'),
    guardrailVersion: pathSegment('Its version, `DRAFT` for the working draft.'),
    awsRegion: z
      .string()
      .regex(/^[a-z]{2}(?:-[a-z]{2,10}){1,2}-\d$/, 'is no region such as us-east-1')
      .describe('The region of the guardrail.'),
    awsAccessKeyId: name('The id of an access key.').meta({ secret: true }),
    awsSecretAccessKey: secretParameter.describe('The access key.'),
    awsSessionToken: secretParameter.optional().describe('The token of a session, for keys of one.'),
  },
  // Twenty-five text units.
  maxText: 25_000,
  request: ({ text, input, parameters: { awsRegion, guardrailId, guardrailVersion } }) => ({
    url: `https://bedrock-runtime.${awsRegion}.amazonaws.com/guardrail/${guardrailId}/version/${guardrailVersion}/apply`,
    headers: {},
    body: { source: input.phase === 'input' ? 'INPUT' : 'OUTPUT', content: [{ text: { text } }] },
  }),
  authorize({ url, headers, body }, { awsAccessKeyId, awsSecretAccessKey, awsSessionToken, awsRegion }) {
    const { origin, pathname: path } = new URL(url);
    const keys = { id: awsAccessKeyId, secret: awsSecretAccessKey, session: awsSessionToken };
    const request = { method: 'POST', origin, path, headers, body: Buffer.from(JSON.stringify(body)) };
    return sign(request, keys, awsRegion, 'bedrock');
  },
  verdict(answer) {
    const { action, assessments, outputs } = objectOf(answer);
    if (action === 'NONE') return { passes: true, reasons: [] };
    // An exception of the service may come with status 200.
    if (action !== 'GUARDRAIL_INTERVENED') throw new Error('The guardrail answered without an action.');
    const found = listOf(assessments ?? [], 'assessments').flatMap(matchesIn);
    const reasons = found.map(({ reason }) => reason);
    const isMasked = found.length > 0 && found.every((match) => match.isMasked);
    if (!isMasked) return { passes: false, reasons };
    const redacted = listOf(outputs, 'outputs')
      .map(({ text }) => textOf(text, 'output'))
      .join('');
    return { passes: false, reasons, redacted };
  },
});

type Match = { reason: string; isMasked: boolean };

/** What the policies of an assessment matched. Matches that are only reported have the action NONE. */
function matchesIn(assessment: JsonObject): Match[] {
  return policies.flatMap((policy) => {
    const found = assessment[policy];
    if (!isObject(found)) return [];
    const matches = Object.values(found).flatMap((list) =>
      Array.isArray(list) ? list.filter(isObject) : [],
    );
    return matches
      .filter(({ action }) => action !== 'NONE')
      .map(({ action, type, name: called }) => ({
        reason: [policy, type ?? called].filter((part) => typeof part === 'string').join(' '),
        isMasked: action === 'ANONYMIZED',
      }));
  });
}
