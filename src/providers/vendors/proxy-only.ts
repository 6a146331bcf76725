import { awsAuthorize, regionOf } from '../credentials/aws/authorize.ts';
import { awsSettings } from '../credentials/aws/settings.ts';
import { bearer, googleKey, keyIn } from '../credentials/keys.ts';
import { endpointsOf } from '../endpoint.ts';
import { geminiApi } from '../kinds/gemini/native-api.ts';
import { openAiCompatible, type Vendor } from '../kinds/openai-compatible/index.ts';
import type { NativeApi, Provider } from '../provider.ts';
import { HEADER_VALUE, type Setting } from '../setting.ts';

/** Settings of a request that SageMaker takes as headers. */
const sageMakerHeaders = [
  'custom-attributes',
  'target-model',
  'target-variant',
  'target-container-hostname',
  'inference-id',
  'enable-explanations',
  'inference-component',
  'session-id',
  'model-name',
].map((name) => [`amzn_sagemaker_${name.replaceAll('-', '_')}`, `x-amzn-sagemaker-${name}`] as const);

/**
 * Those that choose among the models behind one endpoint. The variants of an endpoint share its calls by weight, so that
 * whoever may call it may get any of them.
 */
const chooseModels = /-(?:target-model|target-container-hostname|inference-component|model-name)$/;

const sageMaker: Vendor = {
  id: 'sagemaker',
  baseUrl: (settings) => `https://runtime.sagemaker.${regionOf(settings)}.amazonaws.com`,
  offers: [],
  nativeApi: {
    modelPaths: [/\/endpoints\/([^/?]+)\/invocations/],
    cacheablePaths: [/^\/endpoints\/[^/]+\/invocations$/],
    hidesModels: true,
  },
  settings: {
    ...awsSettings,
    ...Object.fromEntries(
      sageMakerHeaders.map(([setting]): [string, Setting] => [
        setting,
        { byRequest: true, pattern: HEADER_VALUE },
      ]),
    ),
  },
  settingHeaders: Object.fromEntries(sageMakerHeaders),
  modelHeaders: Object.fromEntries(
    sageMakerHeaders
      .filter(([, header]) => chooseModels.test(header))
      .map(([setting, header]) => [header, setting]),
  ),
  sufficientSettings: [['aws_access_key_id', 'aws_secret_access_key']],
  authorize: awsAuthorize('sagemaker', 'SageMaker'),
};

/** The key is `name:secret`. */
const basic: Provider['authorize'] = ({ headers }, { key }) => {
  if (key !== null) headers.authorization = `Basic ${Buffer.from(key).toString('base64')}`;
};

const passedOn = (
  id: string,
  baseUrl: string | null,
  authorize: Provider['authorize'] = bearer,
  nativeApi: NativeApi = {},
): Provider => ({
  id,
  baseUrl,
  settings: {},
  endpoints: endpointsOf(),
  nativeApi: { ...nativeApi, hidesModels: true },
  authorize,
});

/** Providers whose formats the gateway does not know: what is asked of them goes there as it is. */
export const proxyOnly: readonly Provider[] = [
  passedOn('fal-ai', null, keyIn('authorization', 'Key ')),
  passedOn('meshy', 'https://api.meshy.ai/openapi/v1'),
  passedOn('milvus', null),
  // Google has shut the API down.
  passedOn('palm', 'https://generativelanguage.googleapis.com/v1beta3', googleKey, geminiApi),
  passedOn('qdrant', null, keyIn('api-key', 'Bearer ')),
  passedOn('replicate', 'https://api.replicate.com/v1', bearer, {
    modelPaths: [/\/models\/([^?]{1,256}?)\/predictions/],
  }),
  passedOn('scenario-ai', null, basic),
  passedOn('tripo3d', 'https://api.tripo3d.ai/v2/openapi'),
  { ...openAiCompatible(sageMaker), dialects: {} },
];
