// An MCP server of the official SDK, in the modern era and the one before: `node mcp-modern-server.mjs`. Prints its port.
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { z } from 'zod';

const handler = createMcpHandler(() => {
  const server = new McpServer({ name: 'sdk-server', version: '2.4.0' }, { instructions: 'Use echo.' });
  const inputSchema = z.object({ message: z.string() });
  const echo = async ({ message }) => ({ content: [{ type: 'text', text: message }] });
  server.registerTool('echo', { description: 'Repeats a text.', inputSchema }, echo);
  const read = async ({ href }) => ({ contents: [{ uri: href, text: 'hello' }] });
  server.registerResource('note', 'file:///note', { description: 'A note.' }, read);
  return server;
});

const server = createServer(toNodeHandler(handler));
server.listen(0, '127.0.0.1', () => process.stdout.write(`listening on port ${server.address().port}\n`));
