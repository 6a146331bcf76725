import { createHash, randomBytes } from 'node:crypto';
import type { Connection } from 'mongoose';
import type { Secrets } from '../../storage/secrets.ts';
import type { UpstreamTarget } from '../target.ts';
import { clientAt } from './client.ts';
import { connectionProblem, discoverIssuer, type UpstreamIssuer } from './discovery.ts';
import { type UpstreamFlowDocument, upstreamFlowModel } from './model.ts';
import { unionOf } from './scopes.ts';
import type { ConnectionOwner, ConnectionStore } from './store.ts';
import { requestTokens, type TokenPlace, type UpstreamClient } from './tokens.ts';

/** What a browser was sent to an issuer for, and what it goes on with when it is back. */
export type UpstreamFlow = TokenPlace & {
  owner: ConnectionOwner;
  issuer: string;
  saysIssuer: boolean;
  verifier: string;
  redirectUri: string;
  /** The sign-in of the browser, which must bring the answer too. */
  signInId: string;
  /** The query of an authorization that goes on behind it, and the workspace that was chosen there; null for none. */
  goesOn: { query: string; workspaceId: string } | null;
};

export type Flows = {
  /** The address at the issuer to which a browser is sent. Rejects with an UpstreamProblem. */
  begin(asked: FlowAsked): Promise<URL>;
  /** The flow of a state, which counts once; null for one that is not known. */
  take(state: string): Promise<UpstreamFlow | null>;
  /** Gets the tokens for an answer that fits its flow, and keeps them. Rejects with an UpstreamProblem. */
  finish(flow: UpstreamFlow, answer: URLSearchParams): Promise<void>;
};

export type FlowAsked = Pick<UpstreamFlow, 'owner' | 'signInId' | 'goesOn'> & {
  target: UpstreamTarget;
  /** Scopes that the server wants beside those that it publishes; null for none. */
  scope: string | null;
  /** Where the gateway is reached, without a slash at the end. */
  base: string;
};

type Deps = {
  db: Connection;
  secrets: Secrets;
  store: ConnectionStore;
  send: typeof fetch;
  /** Told once somebody has connected. */
  connected(owner: ConnectionOwner): Promise<void>;
  now(): number;
};

/** Milliseconds that somebody has at the issuer. */
const LIFE_MS = 600_000;

export const callbackOf = (base: string): string => `${base}/oauth/upstream-callback`;
export const documentUrlOf = (base: string, integrationId: string): string =>
  `${base}/oauth/client/${integrationId}.json`;

export function createFlows({ db, secrets, store, send, connected, now }: Deps): Flows {
  async function clientFor(found: UpstreamIssuer, { target, base }: FlowAsked): Promise<UpstreamClient> {
    const { id, configurations } = target;
    const isNamed = configurations.oauth_metadata?.client_id !== undefined;
    // One registration serves all users of an integration, as long as the issuer is the same.
    const before = isNamed ? null : await store.readAny(id, found.issuer);
    if (before && before.tokens.tokenEndpoint === found.tokenEndpoint) return before.tokens.client;
    return clientAt(
      found,
      { configurations, documentUrl: documentUrlOf(base, id), redirectUri: callbackOf(base) },
      send,
    );
  }

  return {
    async begin(asked) {
      const { target, base, owner, signInId, goesOn } = asked;
      const found = await discoverIssuer(target, send);
      const client = await clientFor(found, asked);
      const [state, verifier] = [secrets.generateKey(), randomBytes(32).toString('base64url')];
      const redirectUri = callbackOf(base);
      const { issuer, saysIssuer, tokenEndpoint, revocationEndpoint } = found;
      const flow: UpstreamFlow = {
        ...{ owner, issuer, saysIssuer, verifier, redirectUri, signInId, goesOn },
        ...{ client, tokenEndpoint, revocationEndpoint, resource: target.url },
        askedScope: unionOf(found.scope ?? target.configurations.oauth_metadata?.scope ?? null, asked.scope),
      };
      const id = secrets.hash(state);
      await upstreamFlowModel(db).create({
        _id: id,
        sealed: secrets.encrypt(JSON.stringify(flow), id),
        until: new Date(now() + LIFE_MS),
      });
      return addressAt(found, flow, { state, target });
    },
    async take(state) {
      const id = secrets.hash(state);
      const found = await upstreamFlowModel(db)
        .findOneAndDelete({ _id: id, until: { $gt: new Date(now()) } })
        .lean<UpstreamFlowDocument>();
      return found && (JSON.parse(secrets.decrypt(found.sealed, id)) as UpstreamFlow);
    },
    async finish(flow, answer) {
      requireIssuer(flow, answer);
      const code = answer.get('code');
      if (answer.has('error') || code === null || code === '')
        throw connectionProblem('the issuer has not let the gateway in');
      const grant = {
        ...{ grant_type: 'authorization_code', code, redirect_uri: flow.redirectUri },
        code_verifier: flow.verifier,
      };
      const tokens = await requestTokens(flow, grant, send, now());
      await store.save(flow.owner, flow.issuer, tokens);
      await connected(flow.owner);
    },
  };
}

/** An answer of another issuer may hold a code of that one (mix-up): both texts must be the same. */
function requireIssuer({ issuer, saysIssuer }: UpstreamFlow, answer: URLSearchParams): void {
  const told = answer.get('iss');
  if (told === null ? saysIssuer : told !== issuer)
    throw connectionProblem('the answer is not of the issuer that was asked');
}

function addressAt(
  found: UpstreamIssuer,
  { client, verifier, redirectUri, askedScope }: UpstreamFlow,
  { state, target }: { state: string; target: UpstreamTarget },
): URL {
  const address = new URL(found.authorizationEndpoint);
  const { authorization_params: own = {} } = target.configurations.oauth_metadata ?? {};
  const parameters = {
    ...own,
    ...{ response_type: 'code', client_id: client.clientId, redirect_uri: redirectUri, state },
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: target.url,
    ...(askedScope && { scope: askedScope }),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  return address;
}
