// An MCP server of the modern era that costs as little as it can: `upstream.ts PORT TOOLS`.
import { createServer } from 'node:http';

const [port, count = 1] = process.argv.slice(2).map(Number);

const tools = Array.from({ length: count }, (_, index) => ({
  name: `tool-${index}`,
  description: 'Looks something up in a place that is made up.',
  inputSchema: {
    type: 'object',
    properties: { query: { type: 'string', description: 'What is looked for.' } },
  },
}));

const results: Record<string, object> = {
  'server/discover': { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } },
  'tools/list': { tools },
  'tools/call': { content: [{ type: 'text', text: 'The quick brown fox jumps over the lazy dog.' }] },
};

const meta = { 'io.modelcontextprotocol/serverInfo': { name: 'bench', version: '1' } };

createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const { id, method } = JSON.parse(Buffer.concat(chunks).toString() || '{}');
    const result = { resultType: 'complete', ...results[method], _meta: meta };
    const text = JSON.stringify({ jsonrpc: '2.0', id, result });
    response
      .writeHead(200, {
        'content-type': 'application/json',
        'content-length': String(Buffer.byteLength(text)),
      })
      .end(text);
  });
}).listen(port, '127.0.0.1', () => process.send?.('ready'));
