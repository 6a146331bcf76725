/** What a detector says of a text: a language of two letters, empty for none, and how sure it is of it. */
type Detected = { language: string; score: number };

let loading: Promise<(text: string) => Detected> | null = null;

/** The detector. Its tables have 1.6 MB: they are read when the first check asks for them. */
export function detector(): Promise<(text: string) => Detected> {
  loading ??= import('eld/small').then(({ eld }) => (text: string) => {
    const found = eld.detect(text);
    return { language: found.language, score: found.getScores()[found.language] ?? 0 };
  });
  return loading;
}
