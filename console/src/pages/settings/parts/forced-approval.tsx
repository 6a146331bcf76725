import { useState } from 'react';
import { TextArea } from '../../../ui/index.ts';

type ForcedApprovalProps = {
  tools: readonly string[];
  error: string | null;
  onChange(tools: string[]): void;
};

/** Tools of MCP servers that models call with a person's consent alone, one a line. */
export function ForcedApproval({ tools, error, onChange }: ForcedApprovalProps) {
  const [text, setText] = useState(tools.join('\n'));
  return (
    <TextArea
      label="Tools that a person approves"
      hint="One a line, as server/tool by the slug of the server; * in either place is every one. Where nobody can be asked, in chat completions and messages, models are not offered them."
      isMono
      spellCheck={false}
      placeholder="payments/*"
      value={text}
      error={error}
      onChange={({ target }) => {
        setText(target.value);
        const lines = target.value.split('\n').map((line) => line.trim());
        onChange(lines.filter((line) => line !== ''));
      }}
    />
  );
}
