import { useMutation } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { duration } from '../../../format/time.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import {
  Banner,
  Button,
  Code,
  isSchema,
  missingOf,
  SchemaForm,
  valueIn,
  type Written,
} from '../../../ui/index.ts';
import { callTool, type ServerAnswer, type ToolCall } from './call-tool.ts';
import type { Capability, Server } from './server.tsx';
import { SignInThere } from './sign-in-there.tsx';

type ToolTrialProps = { server: Pick<Server, 'slug' | 'workspaceId'>; tool: Capability };

/** A form of the arguments of a tool, and what the tool answers to them. */
export function ToolTrial({ server, tool }: ToolTrialProps) {
  const { refusal } = useMay('mcp.invoke');
  const [written, setWritten] = useState<Written>({});
  const call = useMutation<ServerAnswer, Error, ToolCall>({ mutationFn: callTool, gcTime: 0 });
  const schema = isSchema(tool.inputSchema) ? tool.inputSchema : {};
  const missing = missingOf(schema, written);
  const send = (event: FormEvent) => {
    event.preventDefault();
    const input = valueIn(schema, written);
    call.mutate({ server: server.slug, workspace: server.workspaceId, tool: tool.name, input });
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={send}>
      <SchemaForm schema={schema} written={written} onChange={setWritten} />
      <div>
        <Button
          type="submit"
          look="primary"
          isBusy={call.isPending}
          refusal={refusal ?? (missing === null ? null : `${missing} is missing.`)}
        >
          Call it
        </Button>
      </div>
      {call.error && <Banner tone="bad">{call.error.message}</Banner>}
      {call.data && <Answer answer={call.data} />}
    </form>
  );
}

const Answer = ({
  answer: { isFailed, text, message, milliseconds, signInAt },
}: {
  answer: ServerAnswer;
}) => (
  <>
    {signInAt && <SignInThere address={signInAt} />}
    <Banner tone={isFailed ? 'bad' : 'ok'}>
      {isFailed ? 'It failed' : 'It answered'} after {duration(milliseconds)}.
    </Banner>
    <Code label="answer" text={text} />
    <details>
      <summary className="cursor-pointer text-muted">The message as it came</summary>
      <Code label="message" text={JSON.stringify(message, null, 2)} className="mt-2" />
    </details>
  </>
);
