import type { BaseUrl } from '../../../providers/index.ts';
import { errorBody } from '../../answer/provider-error.ts';
import type { DataplaneDependencies } from '../../dependencies.ts';
import type { UpstreamFailure, UpstreamHeaders, UpstreamSink } from '../../send/upstream.ts';
import type { SendLayer } from './send-layer.ts';

/**
 * Says where redirects lead on paths that are passed on. A redirect below the provider's base leads to `/v1/proxy`, so that
 * the gateway's key is enough to follow it. Any other goes where the provider says or, under `refuse`, becomes an error.
 */
export const keepRedirects: SendLayer = (send, { call, target, local }, { redirects }) => {
  const { provider, base } = target;
  // On the other routes, a redirect is an error like any other.
  if (call.route.unified || local !== null || base === null) return send;
  return (request, sink) =>
    send(
      request,
      new RedirectSink(sink, (location) => placeOf(base, request.path, location, redirects), provider.id),
    );
};

class RedirectSink implements UpstreamSink {
  readonly #sink: UpstreamSink;
  readonly #placeOf: (location: string) => string | null;
  readonly #providerId: string;
  #isOver = false;

  constructor(sink: UpstreamSink, placeOf: (location: string) => string | null, providerId: string) {
    this.#sink = sink;
    this.#placeOf = placeOf;
    this.#providerId = providerId;
  }

  head(status: number, headers: UpstreamHeaders): boolean {
    const { location } = headers;
    if (location === undefined || status < 300 || status > 399 || status === 304)
      return this.#sink.head(status, headers);
    const place = this.#placeOf(String(location));
    if (place !== null) return this.#sink.head(status, { ...headers, location: place });
    this.#refuse(status);
    return false;
  }

  #refuse(status: number): void {
    this.#isOver = true;
    const message = `${this.#providerId} answered ${status}, a redirect to another place, which PROVIDER_REDIRECTS=refuse keeps back.`;
    const body = JSON.stringify(errorBody(this.#providerId, 502, { error: { message } }));
    if (this.#sink.head(502, { 'content-type': 'application/json' })) this.#sink.data(Buffer.from(body));
    this.#sink.end();
  }

  data(chunk: Buffer): boolean {
    return this.#isOver || this.#sink.data(chunk);
  }

  end(trailers?: UpstreamHeaders): void {
    if (!this.#isOver) this.#sink.end(trailers);
  }

  fail(failure: UpstreamFailure, cause: Error): void {
    if (!this.#isOver) this.#sink.fail(failure, cause);
  }
}

/** The `location` for the caller, made of the provider's for the path `from`; null for a redirect that is refused. */
function placeOf(
  base: BaseUrl,
  from: string,
  location: string,
  policy: DataplaneDependencies['redirects'],
): string | null {
  const url = URL.parse(location, `${base.origin}${from}`);
  if (url?.origin === base.origin && url.pathname.startsWith(`${base.path}/`))
    return `/v1/proxy${url.pathname.slice(base.path.length)}${url.search}${url.hash}`;
  if (policy === 'refuse') return null;
  // A relative location is relative to the provider: the caller would resolve it against the gateway.
  return url === null || URL.canParse(location) ? location : url.href;
}
