import { GatewayError } from '../../errors/index.ts';

/** What a remote subgraph did: it answered with an error of its own, or did not answer as a subgraph should. */
export class RemoteError extends GatewayError {
  readonly subgraph: string;
  /** The code of the remote's own error; null when there was no usable answer. */
  readonly remoteCode: string | null;

  constructor(subgraph: string, remote: { code: string; message: string } | { cause: unknown }) {
    if ('code' in remote) super('SUBGRAPH_ERROR', { message: remote.message });
    else {
      const message = `The subgraph ${subgraph} does not answer.`;
      super('SUBGRAPH_UNAVAILABLE', { message, cause: remote.cause });
    }
    this.subgraph = subgraph;
    this.remoteCode = 'code' in remote ? remote.code : null;
  }
}
