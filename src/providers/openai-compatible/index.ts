import { endpointsOf } from '../endpoint.ts';
import type { Provider } from '../provider.ts';
import type { Setting } from '../setting.ts';

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
  /** Header that carries a setting. */
  settingHeaders?: Readonly<Record<string, string>>;
};

export function openAiCompatible(vendor: Vendor): Provider {
  const { id, baseUrl, endpoints, streamUsage = true, settings, settingHeaders } = vendor;
  const headers = Object.entries(settingHeaders ?? {});
  return {
    id,
    baseUrl,
    settings: settings ?? {},
    endpoints: endpointsOf(endpoints),
    streamUsage,
    callerHeaders: ['openai-beta', 'openai-organization', 'openai-project'],
    authorize(request, credential) {
      if (credential.key !== null) request.headers.authorization = `Bearer ${credential.key}`;
      for (const [setting, header] of headers) {
        const value = credential.settings[setting];
        if (value !== undefined) request.headers[header] = value;
      }
    },
  };
}
