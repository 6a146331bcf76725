import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { requireScope } from '../../auth/index.ts';
import { credentialOf } from '../../authentication/authenticate.ts';
import { GatewayError, inferenceBody } from '../../errors/index.ts';
import { gatewayHeaders } from '../answer/gateway-headers.ts';
import type { Call } from '../call/call.ts';
import { openCall, type Visit, visitOf } from '../call/open-call.ts';
import { headerTimeout } from '../call/request-timeout.ts';
import type { DataplaneDependencies } from '../dependencies.ts';
import { refuse } from '../refuse.ts';
import { scopesOf } from '../steps/authorise.ts';
import { type Admission, admit, targetOf } from './admit.ts';
import { answerRefusal } from './answer-refusal.ts';
import { openingOf } from './connect.ts';
import { connectAnew, type OpeningSession } from './connect-anew.ts';
import { CallerGate } from './guard/caller-gate.ts';
import { ProviderGate } from './guard/provider-gate.ts';
import { createBudget } from './memory-budget.ts';
import { createObserver } from './observer.ts';
import { createWatch, credentialName } from './open-sessions.ts';
import { requireWebSocket, takeProtocols } from './protocols.ts';
import { recorderOf } from './recorder.ts';
import { GOING_AWAY, relay } from './relay.ts';
import { openSlices, type Slices } from './slices.ts';
import type { Side } from './unfinished.ts';
import { createUpgrade, type Handover } from './upgrade.ts';

export type Realtime = {
  /** Takes over a connection that asked for a WebSocket at `/v1/realtime`. Never throws. */
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, query: string): void;
  /** Sessions that are open or being opened. */
  open(): number;
  /** Closes every session and takes no new ones; resolves when both sides of all are closed and recorded. */
  stop(): Promise<void>;
};

/** Milliseconds for a provider to open a session, where neither config nor header say another time. */
const OPENING_TIMEOUT = 30_000;
/** Close code of RFC 6455, section 7.4.1. */
const POLICY_VIOLATION = 1008;
/** What RFC 6455 leaves for the reason beside the code. */
const MAX_REASON = 123;
/** Status in the log of a caller that hung up before it was answered. */
const CLIENT_CLOSED_REQUEST = 499;

/** Realtime sessions: one WebSocket to the caller, one to the provider. */
export function createRealtime(dependencies: DataplaneDependencies, now: () => Date): Realtime {
  const { openCalls } = dependencies;
  const upgrade = createUpgrade();
  const budget = createBudget();
  const watch = createWatch();
  const stopping = new AbortController();
  const sessions = new Set<Promise<void>>();

  async function serve(visit: Visit, to: Handover): Promise<void> {
    let call: Call | null = null;
    let leave: (() => void) | null = null;
    try {
      if (stopping.signal.aborted) throw new GatewayError('STOPPING');
      const protocols = takeProtocols(visit.request.headers);
      requireWebSocket(visit.request);
      call = await openCall(visit, dependencies.authenticate);
      const { principal } = call.key;
      const leaveWatch = watch.enter(principal);
      leave = leaveWatch;
      openCalls.enter(principal);
      leave = () => {
        leaveWatch();
        openCalls.leave(principal);
      };
      const admission = await admit(call, dependencies);
      const opening = await openingOf(admission, dependencies);
      const slices = await openSlices(admission, dependencies);
      try {
        await hold({ ...admission, opening }, slices, protocols, to);
      } finally {
        // What was closed with its report stays as it is.
        slices?.close(null);
      }
    } catch (thrown) {
      refuse(thrown, { ...visit, call }, dependencies);
    } finally {
      leave?.();
    }
  }

  /** Opens both sides and stays until both are closed. Rejects only before anything was answered. */
  async function hold(
    session: OpeningSession,
    slices: Slices | null,
    protocols: string[],
    to: Handover,
  ): Promise<void> {
    const { call, leaf, guards } = session;
    const record = recorderOf(session, dependencies);
    const headers = gatewayHeaders({ ...session, cache: null }, 0);
    const timeout = headerTimeout(call) ?? leaf.requestTimeout ?? OPENING_TIMEOUT;
    let provider: Side;
    try {
      const signal = AbortSignal.any([call.disconnect.signal, stopping.signal]);
      const { guard } = dependencies.http;
      provider = await connectAnew(session, { protocols, timeout, guard, signal }, dependencies);
    } catch (thrown) {
      record.failure(answerRefusal(session, headers, thrown), thrown as Error);
      return;
    }
    const caller = await upgrade(call, to, { protocol: provider.socket.protocol, headers });
    if (!caller) {
      provider.socket.terminate();
      record.failure(CLIENT_CLOSED_REQUEST, null);
      return;
    }
    const observer = createObserver();
    const toCaller = teller(caller);
    const gates = {
      caller: new CallerGate(guards, toCaller),
      provider: new ProviderGate(guards, { toCaller, toProvider: teller(provider.socket) }),
    };
    const relayed = relay({ socket: caller, connection: to.socket }, provider, {
      observe: (data) => {
        observer.see(data);
        slices?.note(observer.report());
      },
      budget,
      gates,
      owner: {
        credential: credentialName(call.key.principal),
        organisationId: call.key.principal.organisationId,
      },
    });
    slices?.onRefusal((error) => {
      toCaller(JSON.stringify({ type: 'error', ...inferenceBody(error) }));
      relayed.end(POLICY_VIOLATION, reasonOf(error));
    });
    const forget = watch.add({
      async check() {
        if (relayed.isOverdue(now().getTime())) throw tooSlow();
        await recheck(session);
        await guards.recheck();
      },
      end: (error) => relayed.end(POLICY_VIOLATION, reasonOf(error)),
    });
    const stop = () => relayed.end(GOING_AWAY, 'The server is stopping.');
    if (stopping.signal.aborted) stop();
    else stopping.signal.addEventListener('abort', stop, { once: true });
    const ending = await relayed.ended;
    stopping.signal.removeEventListener('abort', stop);
    forget();
    slices?.close(observer.report(), observer.answeringSince());
    record.session(ending, observer.report(), await guards.close());
  }

  /** Throws once the credential or the provider behind a session is not what it was. */
  async function recheck({ call, leaf }: Admission): Promise<void> {
    const { principal } = await dependencies.authenticate(credentialOf(call.headers), undefined);
    requireScope(principal, scopesOf(call.route, call.method));
    if (principal.workspaceId !== call.workspaceId) throw new GatewayError('FORBIDDEN');
    await targetOf(call, leaf, dependencies);
  }

  return {
    handleUpgrade(request, socket, head, query) {
      const response = new ServerResponse(request);
      response.shouldKeepAlive = false;
      response.assignSocket(socket as Socket);
      response.once('finish', () => socket.end());
      socket.on('error', () => socket.destroy());
      const session = serve(visitOf(request, response, '/realtime', query), { socket, head });
      sessions.add(session);
      session.then(() => sessions.delete(session));
    },
    open: watch.open,
    async stop() {
      stopping.abort();
      await Promise.all(sessions);
      watch.stop();
    },
  };
}

/** Sends to one side, unless it is gone. */
const teller =
  (side: WebSocket) =>
  (event: string): void => {
    if (side.readyState === side.OPEN) side.send(event);
  };

const tooSlow = () =>
  new GatewayError('REQUEST_TIMEOUT', { message: 'A message took too long to come to its end.' });

function reasonOf({ message }: GatewayError): string {
  return Buffer.byteLength(message) > MAX_REASON ? '' : message;
}
