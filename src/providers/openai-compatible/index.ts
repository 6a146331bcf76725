import { endpointsOf } from '../endpoint.ts';
import type { Provider } from '../provider.ts';
import type { Setting } from '../setting.ts';
import { batchOutput } from './batch-output.ts';
import { modelList } from './models.ts';

/** A provider that speaks OpenAI's dialect and takes a bearer key. */
export type Vendor = {
  id: string;
  /** Null: the caller names the host. */
  baseUrl: string | null;
  /** What it has, in the letters of spec/data-plane.md, section 9.2. */
  endpoints: string;
  /** It refuses `stream_options`. */
  streamUsage?: false;
  settings?: Readonly<Record<string, Setting>>;
  sufficientSettings?: Provider['sufficientSettings'];
  /** Header that carries a setting. */
  settingHeaders?: Readonly<Record<string, string>>;
};

export function openAiCompatible(vendor: Vendor): Provider {
  const { id, baseUrl, endpoints, streamUsage = true, settings, sufficientSettings, settingHeaders } = vendor;
  const headers = Object.entries(settingHeaders ?? {});
  const authorize: Provider['authorize'] = (request, credential) => {
    if (credential.key !== null) request.headers.authorization = `Bearer ${credential.key}`;
    for (const [setting, header] of headers) {
      const value = credential.settings[setting];
      if (value !== undefined) request.headers[header] = value;
    }
  };
  const offered = endpointsOf(endpoints);
  return {
    id,
    baseUrl,
    settings: settings ?? {},
    sufficientSettings,
    endpoints: offered,
    streamUsage,
    dialects: {
      models: async () => modelList(id, authorize),
      ...(offered.has('batches') && { batchOutput: async () => batchOutput(authorize) }),
    },
    callerHeaders: ['openai-beta', 'openai-organization', 'openai-project'],
    authorize,
  };
}
