import { useState } from 'react';
import { Diff, Section, Select } from '../../../ui/index.ts';

/** A column, and what it has answered. */
export type Answer = { name: string; text: string };

/** A sentence a line, so that a change is seen where it is. */
const bySentence = (text: string): string => text.replace(/([.!?…。！？])\s+/g, '$1\n');

/** What differs between the answers of two columns. */
export function Difference({ answers }: { answers: readonly Answer[] }) {
  const [chosen, setChosen] = useState<{ before?: string; after?: string }>({});
  const [first, second] = answers;
  const named = (name: string | undefined) => answers.find((answer) => answer.name === name);
  const before = named(chosen.before) ?? first;
  const after = named(chosen.after) ?? second;
  if (!before || !after) return null;
  const choices = answers.map(({ name }) => ({ value: name, label: name }));
  const isSame = before.text === after.text;
  return (
    <Section
      title={`${before.name} and ${after.name}`}
      className="md:col-span-2"
      actions={
        answers.length > 2 && (
          <>
            <Select
              label="Compare"
              choices={choices}
              value={before.name}
              onChange={(name) => setChosen({ ...chosen, before: name })}
            />
            <Select
              label="With"
              choices={choices}
              value={after.name}
              onChange={(name) => setChosen({ ...chosen, after: name })}
            />
          </>
        )
      }
    >
      <div className="p-4">
        {isSame ? (
          <p>Both have answered the same.</p>
        ) : (
          <Diff
            before={bySentence(before.text)}
            after={bySentence(after.text)}
            labels={{ before: `answer of ${before.name}`, after: `answer of ${after.name}` }}
          />
        )}
      </div>
    </Section>
  );
}
