import { GatewayError } from '../../../errors/index.ts';
import { openAiCompatible } from '../../kinds/openai-compatible/index.ts';
import { HOST_PART, PATH_PART } from '../../setting.ts';
import { authorize } from './sign.ts';

const DEFAULT_VERSION = '20231130';

/** OCI Generative AI through its OpenAI-compatible paths; its own are behind `/v1/proxy/<version>/actions/…`. */
export const oracle = openAiCompatible({
  id: 'oracle',
  baseUrl: ({ oracle_region: region }) =>
    region === undefined ? null : `https://inference.generativeai.${region}.oci.oraclecloud.com`,
  offers: ['chat'],
  nativeApi: {
    cacheablePaths: [/^\/\d{8}\/actions\/(?:chat|embedText|generateText|rerankText)$/],
    dataMembers: ['parameterDefinitions'],
    hidesModels: true,
  },
  settings: {
    oracle_region: { pattern: HOST_PART },
    oracle_api_version: { byRequest: true, pattern: /^\d{8}$/ },
    oracle_serving_mode: { byRequest: true, pattern: /^(?:ON_DEMAND|DEDICATED)$/ },
    oracle_compartment_id: { pattern: PATH_PART },
    oracle_tenancy: { pattern: PATH_PART },
    oracle_user: { pattern: PATH_PART },
    oracle_fingerprint: { pattern: /^[0-9a-f]{2}(?::[0-9a-f]{2}){15}$/i },
    oracle_private_key: { secret: true },
    oracle_key_passphrase: { secret: true },
  },
  sufficientSettings: [
    ['oracle_region', 'oracle_tenancy', 'oracle_user', 'oracle_fingerprint', 'oracle_private_key'],
  ],
  pathOf({ endpoint, path, model, settings }) {
    if (endpoint === 'proxy') return path;
    requireServed(model, settings.oracle_serving_mode);
    return `/${settings.oracle_api_version ?? DEFAULT_VERSION}/actions/v1${path}`;
  },
  authorize,
});

/** A dedicated cluster is asked by its endpoint's id in the place of a model's name, and nothing else is. */
function requireServed(model: string | null, mode: string | undefined): void {
  const isEndpoint = model?.startsWith('ocid1.generativeaiendpoint.') === true;
  if (mode === undefined || model === null || isEndpoint === (mode === 'DEDICATED')) return;
  throw new GatewayError('VALIDATION_FAILED', {
    message: `With oracle_serving_mode ${mode} the model is ${isEndpoint ? 'the name of one' : 'the id of an endpoint (ocid1.generativeaiendpoint.…)'}.`,
    param: 'model',
  });
}
