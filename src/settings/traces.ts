import { z } from 'zod';
import { plainUrl } from './json-setting.ts';

/** A collector that speaks OTLP over HTTP. */
export type OtlpCollector = {
  /** Where traces are sent, e.g. `http://localhost:4318/v1/traces`. */
  url: string;
  headers: Record<string, string>;
};

const pair = /^\s*([\w!#$%&'*+.^`|~-]+)\s*=(.*)$/;

const headers = z.string().transform((text, { issues }): Record<string, string> => {
  try {
    const members = text.split(',').filter((member) => member.trim() !== '');
    return Object.fromEntries(members.map(memberOf));
  } catch {
    // Without repeating it: credentials stand there.
    const message = 'must be name=value pairs between commas, percent-encoded';
    issues.push({ code: 'custom', message, input: undefined });
    return z.NEVER;
  }
});

function memberOf(text: string): [string, string] {
  const [, name, value] = pair.exec(text) ?? [];
  if (name === undefined || value === undefined) throw new Error('This is no pair.');
  return [name, decodeURIComponent(value.trim())];
}

/** Where spans go, under the names that OpenTelemetry gives these settings. */
export const traceSettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: plainUrl
    .transform((url) => url.replace(/\/+$/, ''))
    .optional()
    .describe(
      'collector that gets a span of every call to a provider, as OTLP over HTTP at `/v1/traces` ' +
        'below it',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: headers
    .default({})
    .describe('headers for the collector: `name=value` pairs between commas, percent-encoded'),
};

export const collectorOf = (values: {
  OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  OTEL_EXPORTER_OTLP_HEADERS: Record<string, string>;
}): OtlpCollector | null =>
  values.OTEL_EXPORTER_OTLP_ENDPOINT === undefined
    ? null
    : { url: `${values.OTEL_EXPORTER_OTLP_ENDPOINT}/v1/traces`, headers: values.OTEL_EXPORTER_OTLP_HEADERS };
