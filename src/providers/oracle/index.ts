import { openAiCompatible } from '../openai-compatible/index.ts';
import { HOST_PART, PATH_PART } from '../setting.ts';
import { authorize } from './sign.ts';

const DEFAULT_VERSION = '20231130';

/** OCI Generative AI through its OpenAI-compatible paths; its own are behind `/v1/proxy/<version>/actions/…`. */
export const oracle = openAiCompatible({
  id: 'oracle',
  baseUrl: ({ oracle_region: region }) =>
    region === undefined ? null : `https://inference.generativeai.${region}.oci.oraclecloud.com`,
  endpoints: 'c',
  settings: {
    oracle_region: { pattern: HOST_PART },
    oracle_api_version: { byRequest: true, pattern: /^\d{8}$/ },
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
  pathOf: ({ endpoint, path, settings }) =>
    endpoint === 'proxy' ? path : `/${settings.oracle_api_version ?? DEFAULT_VERSION}/actions/v1${path}`,
  authorize,
});
