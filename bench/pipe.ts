// The bare limit: a proxy that does nothing but pass a request on with undici and pipe the answer back.
import { createServer } from 'node:http';
import { Agent } from 'undici';

const [port, upstreamPort] = process.argv.slice(2).map(Number);
const agent = new Agent({ pipelining: 1 });

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    agent.dispatch(
      {
        origin: `http://127.0.0.1:${upstreamPort}`,
        path: request.url ?? '/',
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(chunks),
      },
      {
        onRequestStart() {},
        onResponseStart(_controller, status, headers) {
          const { connection: _hop, 'keep-alive': _alive, 'transfer-encoding': _coding, ...rest } = headers;
          response.writeHead(status, rest);
        },
        onResponseData(_controller, chunk) {
          response.write(chunk);
        },
        onResponseEnd() {
          response.end();
        },
        onResponseError() {
          response.destroy();
        },
      },
    );
  });
});
server.listen(port, '127.0.0.1', () => process.send?.('ready'));
