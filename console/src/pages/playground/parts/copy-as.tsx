import { callAddress } from '../../../shell/first-call/snippets.ts';
import { Button, Menu, say } from '../../../ui/index.ts';
import { type Language, languages, programOf } from './program.ts';

type CopyAsProps = {
  name: string;
  /** Why there is nothing to copy yet. */
  missing: string | null;
  /** Asked for once one is chosen. */
  call(): { path: string; body: unknown; config: string };
};

/** The call of a column as a program, whose key is a variable of its environment. */
export function CopyAs({ name, missing, call }: CopyAsProps) {
  const copy = (language: Language) =>
    navigator.clipboard.writeText(programOf(language, { ...call(), base: callAddress() })).then(
      () => say(`${name} is copied as ${languages[language]}`),
      () => say('The browser lets nothing be copied', { tone: 'bad' }),
    );
  return (
    <Menu
      trigger={
        <Button look="quiet" icon="copy">
          Copy {name} as
        </Button>
      }
      entries={(Object.keys(languages) as Language[]).map((language) => ({
        label: languages[language],
        refusal: missing,
        onChoose: () => void copy(language),
      }))}
    />
  );
}
