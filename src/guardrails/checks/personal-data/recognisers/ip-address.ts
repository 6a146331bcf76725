import { isIPv6 } from 'node:net';
import { matchedSpans, type Recogniser, type TextSpan } from '../recogniser.ts';

const octet = '(?:25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)';
const v4 = new RegExp(`(?<![\\p{L}\\p{N}_.-])(?:${octet}\\.){3}${octet}(?![\\p{L}\\p{N}_]|\\.\\d)`, 'gu');
const v6 = /(?<![\p{L}\p{N}_:.])[0-9a-f:]{2,39}(?:\.\d{1,3}){0,3}(?![\p{L}\p{N}_:])/giu;

/** Numbers of versions have the same form. */
const version = /(?:\bv|version|release|build|firmware|section|chapter|clause|§|oid)[ :=]{0,2}/;
const versionBefore = new RegExp(`${version.source}$`, 'i');
const LOOK_BACK = 12;

export const ipAddress: Recogniser = {
  category: 'IP_ADDRESS',
  reach: 45 + LOOK_BACK + 2,
  spaced: [new RegExp(`${version.source}(?:${octet}\\.){3}${octet}`, 'iu')],
  find(text) {
    const isNoVersion = (_value: string, { index }: RegExpExecArray) =>
      !versionBefore.test(text.slice(Math.max(0, index - LOOK_BACK), index));
    return [...matchedSpans(text, v4, isNoVersion), ...v6Addresses(text)];
  },
};

const v6Addresses = (text: string): TextSpan[] =>
  text.includes(':') ? matchedSpans(text, v6, (value) => isIPv6(value) && isPlain(value)) : [];

/** Names in programs look like short addresses: `a::b`. */
function isPlain(value: string): boolean {
  const groups = value.split(':').filter((group) => group !== '');
  return groups.length >= 3 && groups.filter((group) => /\d/.test(group)).length >= 2;
}
