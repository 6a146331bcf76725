import { type FormEvent, useState } from 'react';
import { Button, Code, TextArea } from '../../../ui/index.ts';
import type { ToolCall } from './tool-calls.ts';

type ToolOutputsProps = { calls: readonly ToolCall[]; onGo(outputs: readonly string[]): void };

/** The functions that a model wants called, and what each of them is to have answered. */
export function ToolOutputs({ calls, onGo }: ToolOutputsProps) {
  const [outputs, setOutputs] = useState<readonly string[]>([]);
  const send = (event: FormEvent) => {
    event.preventDefault();
    onGo(calls.map((_call, index) => outputs[index] ?? ''));
  };
  return (
    <form className="flex flex-col gap-3" onSubmit={send}>
      {calls.map(({ id, name, arguments: given }, place) => (
        <div key={id} className="flex flex-col gap-2">
          <Code label={`call of ${name}`} text={`${name}(${given})`} />
          <TextArea
            label={`Output of ${name}`}
            rows={2}
            isMono
            value={outputs[place] ?? ''}
            onChange={({ target }) =>
              setOutputs(
                calls.map((_call, index) => (index === place ? target.value : (outputs[index] ?? ''))),
              )
            }
          />
        </div>
      ))}
      <div>
        <Button type="submit" look="primary">
          Go on with it
        </Button>
      </div>
    </form>
  );
}
