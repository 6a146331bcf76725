import { isObject } from '../../lib/json.ts';
import { sign } from '../../providers/credentials/aws/sign.ts';
import type { SecretIdentity } from '../../settings/identity/secret-managers.ts';
import { requireServing } from '../ask.ts';
import { SecretContent } from '../content.ts';
import type { SecretAuth, SecretManager } from '../manager.ts';
import { SecretProblem } from '../problem.ts';
import { keysFor } from './keys.ts';

const DEFAULT_REGION = 'us-east-1';

const regionOf = (auth: SecretAuth, { awsRegion }: SecretIdentity): string =>
  auth.aws_region ?? awsRegion ?? DEFAULT_REGION;

/** AWS Secrets Manager. */
export const awsSecretsManager: SecretManager = {
  wayMember: 'aws_auth_type',
  ways: {
    accessKey: { required: ['aws_access_key_id', 'aws_secret_access_key', 'aws_region'] },
    assumedRole: { required: ['aws_role_arn', 'aws_region'], optional: ['aws_external_id'], borrows: true },
    serviceRole: { required: [], optional: ['aws_region'], borrows: true },
  },
  members: {
    aws_access_key_id: { masked: true, pattern: /^\w{16,128}$/ },
    aws_secret_access_key: { masked: true, pattern: /^[\w+/=]{16,256}$/ },
    aws_region: { pattern: /^[a-z]{2,4}(?:-[a-z]{2,12}){1,3}-\d{1,2}$/ },
    aws_role_arn: { masked: true, pattern: /^arn:aws[\w-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/ },
    aws_external_id: { masked: true, pattern: /^[\w+=,.@:/-]{2,1024}$/ },
  },
  pathProblem: (path) => (/^[\w/+=.@:!-]{1,1024}$/.test(path) ? null : 'the name or the ARN of a secret'),
  addressOf: (auth, identity) =>
    identity.secretsManagerUrl ?? `https://secretsmanager.${regionOf(auth, identity)}.amazonaws.com`,
  async read(request) {
    const { path, auth, ask, identity } = request;
    const region = regionOf(auth, identity);
    const unsigned = {
      method: 'POST',
      origin: awsSecretsManager.addressOf(auth, identity),
      path: '/',
      headers: {
        'content-type': 'application/x-amz-json-1.1',
        'x-amz-target': 'secretsmanager.GetSecretValue',
      },
      body: Buffer.from(JSON.stringify({ SecretId: path })),
    };
    const signature = await sign(unsigned, await keysFor(request, region), region, 'secretsmanager');
    const answer = await ask({
      method: 'POST',
      url: `${unsigned.origin}/`,
      headers: { ...unsigned.headers, ...signature },
      body: unsigned.body.toString(),
    });
    requireServing(answer, 'AWS Secrets Manager');
    return answer.status === 200 ? contentOf(answer.json) : refuse(answer.status, answer.json);
  },
};

function contentOf(json: unknown): SecretContent {
  const { SecretString: text, SecretBinary: binary } = isObject(json) ? json : {};
  if (typeof text === 'string') return SecretContent.ofText(text);
  if (typeof binary === 'string') return SecretContent.ofText(Buffer.from(binary, 'base64').toString('utf8'));
  throw new SecretProblem('unreadable', 'AWS Secrets Manager answered no secret.');
}

function refuse(status: number, json: unknown): never {
  const type = isObject(json) ? String(json.__type) : '';
  const code = /(?:^|#)([A-Za-z]{1,60})$/.exec(type)?.[1] ?? `status ${status}`;
  if (code === 'ResourceNotFoundException' || code === 'InvalidRequestException')
    throw new SecretProblem('missing', `AWS Secrets Manager has no such secret (${code}).`);
  if (/Throttl|TooMany|InternalService/.test(code))
    throw new SecretProblem('unreachable', `AWS Secrets Manager asks to come back later (${code}).`);
  throw new SecretProblem('denied', `AWS Secrets Manager does not give this secret (${code}).`);
}
