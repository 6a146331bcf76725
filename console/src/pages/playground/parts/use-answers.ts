import { useCallback, useState } from 'react';

/** The whole answers of columns by their keys, and what tells one; null while a column has none. */
export function useAnswers(): [ReadonlyMap<number, string>, (key: number, text: string | null) => void] {
  const [answers, setAnswers] = useState<ReadonlyMap<number, string>>(new Map());
  const tell = useCallback(
    (key: number, text: string | null) =>
      setAnswers((before) => {
        const after = new Map(before);
        if (text === null) after.delete(key);
        else after.set(key, text);
        return after;
      }),
    [],
  );
  return [answers, tell];
}
