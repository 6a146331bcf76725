import { bearer } from '../../credentials/keys.ts';
import { allOffers, endpointsOf, type Offer } from '../../endpoint.ts';
import type { Provider } from '../../provider.ts';
import { batchOutput } from './batch-output.ts';
import { modelList } from './models.ts';

/** A provider that speaks OpenAI's dialect; unless it says otherwise, with a bearer key and at the gateway's paths. */
export type Vendor = Pick<
  Provider,
  | 'id'
  | 'baseUrl'
  | 'sufficientSettings'
  | 'pathOf'
  | 'lacks'
  | 'pricedAs'
  | 'sentModel'
  | 'priceName'
  | 'nativeApi'
  | 'modelHeaders'
> & {
  offers: readonly Offer[];
  /** It refuses `stream_options`. */
  streamUsage?: false;
  settings?: Provider['settings'];
  /** Header that carries a setting. */
  settingHeaders?: Readonly<Record<string, string>>;
  authorize?: Provider['authorize'];
  /** Further headers of the caller that go to it. */
  callerHeaders?: readonly string[];
  dialects?: Provider['dialects'];
};

/** All that OpenAI itself offers. */
export const openAiOffers: readonly Offer[] = allOffers.filter((offer) => offer !== 'messages');

export function openAiCompatible(vendor: Vendor): Provider {
  const { id, offers, settings = {}, streamUsage = true, callerHeaders = [], pathOf } = vendor;
  const authorize = withSettings(vendor.settingHeaders, vendor.authorize ?? bearer);
  const offered = endpointsOf(...offers);
  const manner = { authorize, pathOf };
  return {
    id,
    baseUrl: vendor.baseUrl,
    settings,
    sufficientSettings: vendor.sufficientSettings,
    lacks: vendor.lacks,
    pricedAs: vendor.pricedAs,
    sentModel: vendor.sentModel,
    priceName: vendor.priceName,
    nativeApi: vendor.nativeApi,
    modelHeaders: vendor.modelHeaders,
    endpoints: offered,
    streamUsage,
    dialects: {
      models: async () => modelList(id, manner),
      ...(offered.has('batches') && { batchOutput: async () => batchOutput(manner) }),
      ...vendor.dialects,
    },
    callerHeaders: ['openai-beta', 'openai-organization', 'openai-project', ...callerHeaders],
    ...manner,
  };
}

/** Settings first: a signature comes last. */
function withSettings(
  settingHeaders: Vendor['settingHeaders'],
  authorize: Provider['authorize'],
): Provider['authorize'] {
  if (!settingHeaders) return authorize;
  const headers = Object.entries(settingHeaders);
  return (request, credential, fetch) => {
    for (const [setting, header] of headers) {
      const value = credential.settings[setting];
      if (value !== undefined) request.headers[header] = value;
    }
    return authorize(request, credential, fetch);
  };
}
