import type { BaseUrl, Provider } from '../../providers/index.ts';
import { errorBody } from '../provider-error.ts';
import type { Send, UpstreamFailure, UpstreamHeaders, UpstreamSink } from './upstream.ts';

/**
 * Keeps whoever follows a redirect at the gateway, whose key it would take along: one that stays below the provider's base
 * leads to `/v1/proxy`, and one that leaves it becomes an error.
 */
export const keepingRedirects =
  (send: Send, provider: Provider, base: BaseUrl): Send =>
  (request, sink) =>
    send(
      request,
      new RedirectSink(sink, (location) => placeBelow(base, request.path, location), provider.id),
    );

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
    if (place !== null) return this.#sink.head(status, { ...headers, location: `/v1/proxy${place}` });
    this.#refuse(status);
    return false;
  }

  #refuse(status: number): void {
    this.#isOver = true;
    const message = `${this.#providerId} answered ${status}, a redirect to a place that the gateway does not lead to.`;
    const body = JSON.stringify(errorBody(this.#providerId, 502, { error: { message } }));
    if (this.#sink.head(502, { 'content-type': 'application/json' })) this.#sink.data(Buffer.from(body));
    this.#sink.end();
  }

  data(chunk: Buffer): boolean {
    return this.#isOver || this.#sink.data(chunk);
  }

  end(): void {
    if (!this.#isOver) this.#sink.end();
  }

  fail(failure: UpstreamFailure, cause: Error): void {
    if (!this.#isOver) this.#sink.fail(failure, cause);
  }
}

/** Path and query below a base to which a `location` leads from a path there; null when it leads out of it. */
function placeBelow(base: BaseUrl, from: string, location: string): string | null {
  const url = URL.parse(location, `${base.origin}${from}`);
  if (url?.origin !== base.origin || !url.pathname.startsWith(`${base.path}/`)) return null;
  return `${url.pathname.slice(base.path.length)}${url.search}${url.hash}`;
}
