/** Headers to a provider that are another one every time, or that the target's identity has already. */
const always = anyOf([
  'authorization|content-length|accept-encoding|idempotency-key|traceparent|tracestate',
  // Of signatures.
  'date|x-content-sha256|x-amz-(?:date|content-sha256|security-token)',
]);

/** What clients, load balancers and tracing add on the way to the gateway: it says how a request came, not for whom. */
const onTheWay = anyOf([
  // The id of a request, under any name.
  '(?:.*-)?(?:request|correlation|trace|span|transaction|invocation)-?id',
  // Tracing.
  'baggage|b3|x-b3-.*|sentry-trace|.*-traceparent|.*-tracestate|x-cloud-trace-context',
  'x-datadog-.*|newrelic|x-newrelic-(?:id|transaction)|uber-trace-id|x-ot-span-context|x-honeycomb-trace|x-instana-.*|x-dynatrace',
  // Load balancers and networks that deliver content. Those that hand on who somebody is are not among them.
  'forwarded|via|cdn-loop|x-forwarded-(?:for|host|port|proto|protocol|scheme|server|ssl|by)|x-original-forwarded-for|x-scheme',
  '(?:.*-)?(?:client|connecting|cluster|real|remote|socket|external)-?(?:ip|ipv6|addr|address)',
  'x-envoy-.*|x-request-start|x-queue-start|x-timer|x-varnish|fastly-(?:ff|ssl)|x-amz-cf-id|cloudfront-(?:viewer|is)-.*',
  'cf-(?:ray|ipcountry|visitor|worker|ew-via|pseudo-ipv4)|x-azure-(?:ref|requestchain|fdid)|x-arr-(?:log-id|ssl)',
  'fly-(?:region|forwarded-.*)|x-vercel-(?:id|ip-.*|forwarded-for|proxied-for)',
  // Clients.
  'user-agent|x-stainless-.*|origin|referer|dnt|priority|save-data|upgrade-insecure-requests|x-requested-with|sec-(?:fetch|ch)-.*|sec-gpc',
  'cache-control|pragma|amz-sdk-.*|x-amz-user-agent|x-goog-api-client',
]);

function anyOf(names: readonly string[]): RegExp {
  return new RegExp(`^(?:${names.join('|')})$`);
}

/**
 * Whether an answer cannot depend on a header of a request to a provider; `isMeant` where config or caller name it for the
 * provider. Any name that is not known to be harmless may be a credential of the caller's own, as cookies are: it counts.
 */
export const isPassing = (name: string, isMeant: boolean): boolean =>
  always.test(name) || (!isMeant && onTheWay.test(name));
