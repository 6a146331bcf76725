import { useState } from 'react';
import { Code, Section, Segments } from '../../../ui/index.ts';
import type { Server } from './server.tsx';

const programs = {
  claude: 'Claude Code',
  json: 'JSON of a client',
  curl: 'curl',
} as const;
type Program = keyof typeof programs;

const snippet = (program: Program, { slug, url }: Server): string =>
  ({
    claude: `claude mcp add --transport http ${slug} ${url} \\\n  --header "x-gateway-api-key: $SLUICE_KEY"`,
    json: JSON.stringify(
      { mcpServers: { [slug]: { type: 'http', url, headers: { 'x-gateway-api-key': '<your key>' } } } },
      null,
      2,
    ),
    curl: `curl ${url} \\\n  -H "x-gateway-api-key: $SLUICE_KEY" -H "content-type: application/json" \\\n  -H "accept: application/json, text/event-stream" \\\n  -d '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'`,
  })[program];

/** How programs connect to a server. */
export function Clients({ server }: { server: Server }) {
  const [program, setProgram] = useState<Program>('claude');
  return (
    <div className="flex max-w-200 flex-col gap-3 px-4 py-4 sm:px-6">
      <Segments<Program> label="Program" choices={programs} value={program} onChange={setProgram} />
      <Section title="With a key of the workspace">
        <Code text={snippet(program, server)} label="connection" className="m-3" />
      </Section>
    </div>
  );
}
