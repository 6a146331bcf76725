import { type KeyboardEvent, type RefObject, useEffect, useId, useState } from 'react';
import { classes, Icon, IconButton, Kbd } from '../../../ui/index.ts';
import { completionsFor, wordAt } from '../query/complete.ts';
import type { Suggestions } from './use-names.ts';

type FilterFieldProps = {
  value: string;
  onChange(value: string): void;
  onFocus(): void;
  suggestions: Suggestions;
  problems: readonly string[];
  field: RefObject<HTMLInputElement | null>;
};

/** The filter as one line of text, completed while it is typed; Enter asks the server. */
export function FilterField({ value, onChange, onFocus, suggestions, problems, field }: FilterFieldProps) {
  const id = useId();
  const [text, setText] = useState(value);
  const [place, setPlace] = useState<number | null>(null);
  const [chosen, setChosen] = useState(-1);
  useEffect(() => setText(value), [value]);

  const { start, word } = wordAt(text, place ?? 0);
  const completions = place === null ? [] : completionsFor(word, suggestions);

  function commit(next: string) {
    setPlace(null);
    setChosen(-1);
    onChange(next.trim());
  }

  function complete(index: number) {
    const completion = completions[index];
    if (!completion || place === null) return;
    const next = text.slice(0, start) + completion.text + text.slice(place);
    setText(next);
    setChosen(-1);
    const end = start + completion.text.length;
    setPlace(end);
    requestAnimationFrame(() => field.current?.setSelectionRange(end, end));
  }

  function onKeyDown(event: KeyboardEvent<HTMLInputElement>) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined && completions.length > 0)
      setChosen((chosen + step + completions.length) % completions.length);
    else if (event.key === 'Tab' && chosen >= 0) complete(chosen);
    else if (event.key === 'Enter') chosen >= 0 ? complete(chosen) : commit(text);
    else if (event.key === 'Escape') {
      if (place === null) event.currentTarget.blur();
      setPlace(null);
    } else return;
    event.preventDefault();
  }

  return (
    <div className="relative min-w-64 flex-1">
      <div
        className={classes(
          'flex h-7 max-sm:h-11 items-center gap-2 rounded-control border bg-surface pl-2 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent',
          problems.length > 0 ? 'border-bad' : 'border-strong',
        )}
      >
        <span className="text-faint">
          <Icon name="filter" size={14} />
        </span>
        <input
          ref={field}
          role="combobox"
          aria-label="Filter"
          aria-expanded={completions.length > 0}
          aria-controls={`${id}-list`}
          aria-activedescendant={chosen >= 0 ? `${id}-${chosen}` : undefined}
          aria-invalid={problems.length > 0 || undefined}
          aria-describedby={problems.length > 0 ? `${id}-problems` : undefined}
          value={text}
          placeholder="status:5xx model:gpt-4o key:ci cost>0.01 meta.team=search"
          spellCheck={false}
          autoComplete="off"
          maxLength={2000}
          onFocus={(event) => {
            onFocus();
            setPlace(event.currentTarget.selectionStart);
          }}
          onBlur={() => {
            setPlace(null);
            if (text.trim() !== value) onChange(text.trim());
          }}
          onSelect={({ currentTarget }) => setPlace(currentTarget.selectionStart)}
          onChange={({ target }) => setText(target.value)}
          onKeyDown={onKeyDown}
          className="mono h-full min-w-0 flex-1 bg-transparent outline-none placeholder:text-faint"
        />
        {text ? (
          <IconButton icon="cross" label="Clear the filter" className="size-6" onClick={() => commit('')} />
        ) : (
          <span className="pr-1.5">
            <Kbd>/</Kbd>
          </span>
        )}
      </div>
      {problems.length > 0 && (
        <p id={`${id}-problems`} role="alert" className="pt-1 text-meta text-bad">
          {problems.join('; ')}
        </p>
      )}
      <div
        id={`${id}-list`}
        role="listbox"
        aria-label="Completions"
        hidden={completions.length === 0}
        className="absolute inset-x-0 top-full z-30 mt-1 max-h-72 overflow-y-auto rounded-panel border border-line bg-surface p-1 shadow-float"
      >
        {completions.map(({ text: label, hint }, index) => (
          // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus, as a combobox does
          <div
            key={label}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === chosen}
            onPointerDown={(event) => {
              // The field keeps the focus.
              event.preventDefault();
              complete(index);
            }}
            className={classes(
              'flex h-7 cursor-pointer items-center gap-3 rounded-[5px] px-2 hover:bg-hover',
              index === chosen && 'bg-tint',
            )}
          >
            <span className="mono">{label}</span>
            <span className="text-meta text-faint">{hint}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
