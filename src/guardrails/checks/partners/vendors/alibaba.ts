import { createHash, createHmac } from 'node:crypto';
import { z } from 'zod';
import { uuid } from '../../../../lib/ids.ts';
import { secretParameter } from '../../remote/common.ts';
import { listOf, objectOf, textOf } from '../answers.ts';
import { definePartner } from '../define-partner.ts';
import { name } from '../shapes.ts';

const FORM = 'application/x-www-form-urlencoded';
const ALGORITHM = 'ACS3-HMAC-SHA256';

const serviceName = (usual: string, phase: string) =>
  z.string().min(1).max(100).default(usual).describe(`The service that checks the ${phase}.`);

export const alibaba = definePartner({
  id: 'alibaba-cloud-ai',
  description: 'Passes when AI Guardrails of Alibaba Cloud suggests no block of the text.',
  phases: ['input', 'output'],
  shape: {
    accessKeyId: name('The id of an access key.').meta({ secret: true }),
    accessKeySecret: secretParameter.describe('The access key.'),
    region: z
      .string()
      .regex(/^[a-z]{2}-[a-z]+(?:-\d)?$/, 'is no region such as ap-southeast-1')
      .default('ap-southeast-1')
      .describe('The region of the service.'),
    inputService: serviceName('query_security_check', 'input'),
    outputService: serviceName('response_security_check', 'output'),
  },
  maxText: 2_000,
  request: ({ text, input, parameters: { region, inputService, outputService } }) => ({
    url: `https://green-cip.${region}.aliyuncs.com/`,
    headers: { 'content-type': FORM },
    body: String(
      new URLSearchParams({
        Service: input.phase === 'input' ? inputService : outputService,
        ServiceParameters: JSON.stringify({ content: text }),
      }),
    ),
  }),
  async authorize({ url, body }, { accessKeyId, accessKeySecret }) {
    const headers = {
      'x-acs-action': 'MultiModalGuard',
      'x-acs-content-sha256': sha256(String(body)),
      'x-acs-date': new Date().toISOString().replace(/\.\d+Z$/, 'Z'),
      'x-acs-signature-nonce': uuid(),
      'x-acs-version': '2022-03-02',
    };
    const authorization = authorizationOf(
      { host: new URL(url).host, ...headers },
      { accessKeyId, accessKeySecret },
    );
    return { ...headers, authorization };
  },
  verdict(answer) {
    const { Code, Data } = objectOf(answer);
    if (Code !== 200) throw new Error(`The service answered with code ${String(Code).slice(0, 20)}.`);
    const { Suggestion, Detail } = objectOf(Data, 'data');
    const passes = textOf(Suggestion, 'suggestion') !== 'block';
    const blocking = listOf(Detail ?? [], 'details').filter((detail) => detail.Suggestion === 'block');
    const reasons = blocking.map(({ Type }) => textOf(Type, 'type'));
    return { passes, reasons: passes || reasons.length > 0 ? reasons : ['block'] };
  },
});

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

type Keys = { accessKeyId: string; accessKeySecret: string };

/** Signs a POST to the root without a query, as version 3 of the signatures of Alibaba Cloud does it; names in lower case. */
function authorizationOf(headers: Record<string, string>, { accessKeyId, accessKeySecret }: Keys): string {
  const names = Object.keys(headers).sort();
  const signed = names.join(';');
  const lines = names.map((header) => `${header}:${headers[header]}\n`).join('');
  const request = ['POST', '/', '', lines, signed, headers['x-acs-content-sha256']].join('\n');
  const signature = createHmac('sha256', accessKeySecret)
    .update(`${ALGORITHM}\n${sha256(request)}`)
    .digest('hex');
  return `${ALGORITHM} Credential=${accessKeyId},SignedHeaders=${signed},Signature=${signature}`;
}
