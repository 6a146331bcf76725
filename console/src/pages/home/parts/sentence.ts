import { money } from '../../../format/money.ts';
import { change, counted, percent } from '../../../format/number.ts';
import type { Tone } from '../../../ui/index.ts';
import type { HomeQuery } from '../documents.ts';

/** Shares of failed requests from which on something is the matter, and from which on it is bad. */
const WARN_SHARE = 0.02;
const BAD_SHARE = 0.1;
/** Fewer requests than that say nothing about a provider. */
const FEW = 20;

const shareOf = (errors: number, requests: number): number => (requests === 0 ? 0 : errors / requests);

/** How it goes: the worst of all requests together and of each provider that is called often. */
export function toneOf({ now }: HomeQuery): Extract<Tone, 'ok' | 'warn' | 'bad'> {
  if (!now) return 'ok';
  const whole = shareOf(now.errors.summary.total, now.requests.summary.total);
  const often = now.providers.data.filter(({ requests }) => requests >= FEW);
  const worst = Math.max(
    whole,
    ...often.map(({ errorCount, requests }) => shareOf(errorCount, requests) / 2),
  );
  return worst >= BAD_SHARE ? 'bad' : worst >= WARN_SHARE ? 'warn' : 'ok';
}

const openings = {
  ok: 'All good.',
  warn: 'Some requests fail.',
  bad: 'Many requests fail.',
};

/** The answer to the page's question. */
export function sentenceOf(answer: HomeQuery): string {
  const { now, before } = answer;
  if (!now || now.requests.summary.total === 0) return 'Nobody has called in this time.';
  const requests = now.requests.summary.total;
  const share = shareOf(now.errors.summary.total, requests);
  const cost = now.cost.summary.total;
  const earlier = before?.cost.summary.total ?? 0;
  const changed = change(cost, earlier);
  const compared = changed === 'new' ? '' : `, ${changed} against the time before`;
  return `${openings[toneOf(answer)]} ${counted(requests, 'request')}, ${percent(share)} errors, ${money(cost)}${compared}.`;
}
