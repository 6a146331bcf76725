/** A function that a model wants called, as far as the answer has told of it. */
export type ToolCall = { id: string; name: string; arguments: string };

/** What a piece of a stream, or a whole message, tells of a call. */
export type ToolPiece = {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: string };
};

/** The calls with what a piece adds to them. */
export function withPieces(calls: readonly ToolCall[], pieces: readonly ToolPiece[]): ToolCall[] {
  const all = [...calls];
  pieces.forEach(({ index, id, function: own }, place) => {
    const at = index ?? place;
    const before = all[at] ?? { id: '', name: '', arguments: '' };
    all[at] = {
      id: id ?? before.id,
      name: before.name + (own?.name ?? ''),
      arguments: before.arguments + (own?.arguments ?? ''),
    };
  });
  return all;
}

/** The next request of a conversation: what was asked, the calls that were wanted, and an output for each. */
export function continued(
  body: unknown,
  said: { text: string; calls: readonly ToolCall[] },
  outputs: readonly string[],
): unknown {
  const asked = body as { messages?: readonly unknown[] };
  const wanted = said.calls.map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  }));
  return {
    ...asked,
    messages: [
      ...(asked.messages ?? []),
      { role: 'assistant', content: said.text || null, tool_calls: wanted },
      ...said.calls.map(({ id }, index) => ({
        role: 'tool',
        tool_call_id: id,
        content: outputs[index] ?? '',
      })),
    ],
  };
}
