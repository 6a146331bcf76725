/** A line that has something in it, and its number in the content, from 1. `problem`: why it has no text. */
export type TextLine = { number: number } & ({ text: string } | { problem: string });

/** The lines of a content in UTF-8; holds one of them at a time, of at most `maxBytes`. Empty ones are left out. */
export async function* textLines(
  content: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<TextLine> {
  const utf8 = new TextDecoder('utf-8', { fatal: true });
  let held: Uint8Array[] = [];
  let bytes = 0;
  let number = 0;
  const hold = (piece: Uint8Array) => {
    bytes += piece.length;
    // What is left of a line that is too long only has to be passed.
    if (bytes <= maxBytes) held.push(piece);
    else held = [];
  };
  const take = (): TextLine => {
    number++;
    const whole = Buffer.concat(held);
    const isTooLong = bytes > maxBytes;
    held = [];
    bytes = 0;
    if (isTooLong) return { number, problem: `has more than ${maxBytes} bytes.` };
    try {
      return { number, text: utf8.decode(whole).trim() };
    } catch {
      return { number, problem: 'is not UTF-8.' };
    }
  };
  const isEmpty = (line: TextLine) => 'text' in line && line.text === '';
  for await (const chunk of content) {
    let from = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, from)) {
      hold(chunk.subarray(from, end));
      from = end + 1;
      const line = take();
      if (!isEmpty(line)) yield line;
    }
    hold(chunk.subarray(from));
  }
  const last = take();
  if (!isEmpty(last)) yield last;
}
