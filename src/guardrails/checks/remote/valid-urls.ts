import { LRUCache } from 'lru-cache';
import { z } from 'zod';
import { type CheckInput, type CheckServices, defineCheck } from '../../check.ts';
import { failable, negatable } from '../common.ts';
import { urlsIn } from './url-texts.ts';

const parameters = z.strictObject({
  onlyDNS: z
    .boolean()
    .default(false)
    .describe('Whether it is enough that the name of the host resolves to an address.'),
  ...negatable,
  ...failable,
});

/** The most URLs of one text. */
const MAX_URLS = 10;
const AT_ONCE = 5;
/** Milliseconds for all URLs of a text. */
const TIME = 3_000;
/** The most redirects of one URL, all on its own host. */
const MAX_REDIRECTS = 3;
/** Milliseconds for which an answer is remembered. */
const MEMORY = 300_000;

export const validUrls = defineCheck({
  id: 'default.validUrls',
  description: 'Passes when the text has URLs, and each of them exists.',
  phases: ['output'],
  isRemote: true,
  parameters,
  prepare({ onlyDNS, not }) {
    const known = new LRUCache<string, boolean>({ max: 1_000, ttl: MEMORY });
    return async (input, services) => {
      const urls = urlsIn(input.text);
      if (urls.length === 0) return { verdict: not, data: { not, explanation: 'There is no URL.' } };
      if (urls.length > MAX_URLS) throw new Error(`The text has more than ${MAX_URLS} URLs.`);
      const signal = AbortSignal.any([input.signal, AbortSignal.timeout(TIME)]);
      const isValid = async (url: string): Promise<boolean> => {
        // What one organisation may reach tells another nothing.
        const key = `${input.call.organisationId} ${url}`;
        const valid = known.get(key) ?? (await exists(url, onlyDNS, { ...input, signal }, services));
        known.set(key, valid);
        return valid;
      };
      const verdicts = await inGroups(urls, isValid);
      const invalidUrls = urls.length - verdicts.filter(Boolean).length;
      return { verdict: (invalidUrls === 0) !== not, data: { not, urls: urls.length, invalidUrls } };
    };
  },
});

async function inGroups(urls: readonly string[], isValid: (url: string) => Promise<boolean>) {
  const verdicts: boolean[] = [];
  for (let at = 0; at < urls.length; at += AT_ONCE)
    verdicts.push(...(await Promise.all(urls.slice(at, at + AT_ONCE).map(isValid))));
  return verdicts;
}

/** Only yes or no: why a URL is out of reach would tell a caller about the network of the gateway. */
async function exists(
  written: string,
  onlyDNS: boolean,
  { signal }: Pick<CheckInput, 'signal'>,
  services: CheckServices,
): Promise<boolean> {
  const url = URL.canParse(written) ? new URL(written) : null;
  if (url === null || url.username !== '' || url.password !== '') return false;
  try {
    return onlyDNS ? await services.resolves(url.hostname, signal) : await answers(url, signal, services);
  } catch {
    return false;
  }
}

async function answers(first: URL, signal: AbortSignal, services: CheckServices): Promise<boolean> {
  let url: URL | null = first;
  for (let redirects = 0; url !== null && redirects <= MAX_REDIRECTS; redirects += 1) {
    const { href } = url;
    const answer = await services.send({ url: href, method: 'HEAD', timeoutMs: TIME, signal });
    if (answer.status >= 200 && answer.status <= 299) return true;
    url = redirectOf(href, answer);
    if (url?.host !== first.host) return false;
  }
  return false;
}

type Answer = { status: number; headers: Readonly<Record<string, string>> };

function redirectOf(from: string, { status, headers: { location } }: Answer): URL | null {
  if (status < 300 || status > 399 || location === undefined) return null;
  return URL.canParse(location, from) ? new URL(location, from) : null;
}
