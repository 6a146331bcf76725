/** A file within JSON: its media type and its size in bytes. */
export type Media = { type: string; size: number };

const dataUrl = /^data:([\w.+-]+\/[\w.+-]+)?(?:;[\w=-]+)*;base64,/;

/** What a text is where it is a file and nothing to read; null for texts. */
export function mediaIn(text: string): Media | null {
  const head = dataUrl.exec(text.slice(0, 200));
  if (head) return { type: head[1] ?? 'file', size: Math.floor((text.length - head[0].length) * 0.75) };
  // Nobody writes a thousand characters without a space.
  if (text.length > 1000 && /^[A-Za-z0-9+/_-]+={0,2}$/.test(text))
    return { type: 'base64', size: Math.floor(text.length * 0.75) };
  return null;
}

/** Pictures that every browser draws, and that run nothing. */
const picture = /^data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2}$/;

/** The picture that a text is; null where it is none, or where it is elsewhere: nothing is loaded from there. */
export const pictureIn = (text: unknown): string | null =>
  typeof text === 'string' && picture.test(text) ? text : null;
