import { SelectField, TextField } from '../../../ui/index.ts';
import type { McpTransport } from '../documents.ts';

export const blankConnection = { url: '', transport: 'http' as McpTransport, header: '', value: '' };

type Connection = typeof blankConnection;

type ConnectionFieldsProps = {
  draft: Connection;
  onChange(part: Partial<Connection>): void;
  /** What is wrong with a field; null where nothing is. */
  at(name: 'url' | 'configurations'): string | null;
};

/** Where a server answers, and what it is shown. */
export const ConnectionFields = ({ draft, onChange, at }: ConnectionFieldsProps) => (
  <>
    <TextField
      label="Address"
      isMono
      placeholder="https://…/mcp"
      value={draft.url}
      onChange={({ target }) => onChange({ url: target.value })}
      hint="mock://server is the one that is built in."
      error={at('url')}
      required
    />
    <SelectField<McpTransport>
      label="Speaks"
      choices={[
        { value: 'http', label: 'Streamable HTTP' },
        { value: 'sse', label: 'server-sent events, of 2024' },
      ]}
      value={draft.transport}
      onChange={(transport) => onChange({ transport })}
    />
    <div className="grid gap-4 sm:grid-cols-2">
      <TextField
        label="Header of its credential"
        isMono
        placeholder="none"
        value={draft.header}
        onChange={({ target }) => onChange({ header: target.value })}
        error={at('configurations')}
      />
      <TextField
        label="Value of that header"
        type="password"
        isMono
        value={draft.value}
        onChange={({ target }) => onChange({ value: target.value })}
        hint="Sealed where it is stored."
      />
    </div>
  </>
);
