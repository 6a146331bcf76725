import { connect, type Listener } from './connect.ts';
import type { Document } from './document.ts';
import type { GraphError } from './graph-error.ts';

type Stream = { open(): () => void };

/** What the page listens to; what the tab listens to while no page does; and what closes the connection for either. */
let current: Stream | null = null;
let resting: Stream | null = null;
let close: (() => void) | null = null;

/** Milliseconds for which a tab listens to nothing before it rests: the next page mostly has a stream of its own. */
const REST_AFTER = 1000;

function reopen(): void {
  close?.();
  close = document.hidden ? null : (current?.open() ?? (resting && openLater(resting)));
}

function openLater(stream: Stream): () => void {
  let end = () => {};
  const timer = setTimeout(() => {
    end = stream.open();
  }, REST_AFTER);
  return () => {
    clearTimeout(timer);
    end();
  };
}

let onRefused: (error: GraphError) => void = () => {};

/** Says who is told when a stream ends for want of a sign-in or of a permission, within a second of that. */
export function whenRefused(act: (error: GraphError) => void): void {
  onRefused = act;
}

document.addEventListener('visibilitychange', reopen);

/**
 * Listens to a subscription; answers what ends it. A tab has one stream, since a browser opens six connections to an origin at
 * most: a new one takes the place of the one before. It is closed while the tab is hidden.
 */
export function listen<Answer, Variables>(
  operation: Document<Answer, Variables>,
  variables: Variables,
  listener: Listener<Answer>,
): () => void {
  const stream = streamOf(operation, variables, listener);
  current = stream;
  reopen();
  return () => {
    if (current !== stream) return;
    current = null;
    reopen();
  };
}

/** Listens while no page does, so that a tab learns of the end of its sign-in whatever it shows. */
export function listenAtRest<Answer, Variables>(
  operation: Document<Answer, Variables>,
  variables: Variables,
  listener: Listener<Answer>,
): () => void {
  const stream = streamOf(operation, variables, listener);
  resting = stream;
  if (current === null) reopen();
  return () => {
    if (resting !== stream) return;
    resting = null;
    if (current === null) reopen();
  };
}

function streamOf<Answer, Variables>(
  operation: Document<Answer, Variables>,
  variables: Variables,
  listener: Listener<Answer>,
): Stream {
  let openings = 0;
  const onOpen = () => {
    listener.onState?.(true);
    if (openings++ > 0) listener.onResume?.();
  };
  const onError = (error: GraphError) => {
    if (current === stream) current = null;
    listener.onError(error);
    if (error.code === 'UNAUTHENTICATED' || error.code === 'FORBIDDEN') onRefused(error);
  };
  const stream = {
    open: () => connect({ operation, variables, listener: { ...listener, onError }, onOpen }),
  };
  return stream;
}
