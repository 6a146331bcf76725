/** One event as the text of a `text/event-stream`; `name` null leaves the `event:` line out. */
export function formatEvent(name: string | null, data: string): string {
  const lines = data.includes('\n') || data.includes('\r') ? data.split(/\r\n|\n|\r/).join('\ndata: ') : data;
  return name === null ? `data: ${lines}\n\n` : `event: ${name}\ndata: ${lines}\n\n`;
}
