import { maskedText } from '../../lib/masked-text.ts';
import { separated } from '../configurations/index.ts';
import type { McpServerRecord } from '../snapshot/index.ts';
import type { RelayCall } from './call.ts';

/** Texts with which the gateway has proved itself to the server of a call, which an answer may quote. */
export const secretsOf = (call: RelayCall): string[] => [...ofServer(call.server), ...ofCall(call)];

/** What the call itself has proved who it is with: a token that was got for it stands in no setting. */
const ofCall = ({ credential }: RelayCall): string[] =>
  Object.values(credential)
    .map((value) => value.replace(/^\w+ /, ''))
    .filter(({ length }) => length >= 8);

const secrets = new WeakMap<object, readonly string[]>();

/** Texts of a server's credential. */
function ofServer({ upstream }: McpServerRecord): readonly string[] {
  let known = secrets.get(upstream);
  if (known === undefined) {
    known = Object.values(separated(upstream.configurations).secrets).filter(({ length }) => length >= 8);
    secrets.set(upstream, known);
  }
  return known;
}

/** Characters from which on a text can only be a credential, and is no word that an answer may mean. */
const MIN_TOLD = 16;

/** What a server says of a failure, without the credential that it may quote: callers share it, and may not know it. */
export const withoutCredential = (call: RelayCall, text: string): string =>
  maskedText(
    text,
    secretsOf(call)
      .filter(({ length }) => length >= MIN_TOLD)
      .map((secret) => JSON.stringify(secret).slice(1, -1)),
  );
