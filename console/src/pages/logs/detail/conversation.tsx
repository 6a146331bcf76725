import { useState } from 'react';
import { bytes } from '../../../format/number.ts';
import { Button, Icon } from '../../../ui/index.ts';
import { Markdown } from './markdown.tsx';
import type { Message, Part } from './messages.ts';

/** Characters of one part that are drawn before one asks for more. */
const LONG = 20_000;

const signs: Record<string, string> = {
  system: 'text-faint',
  user: 'text-info',
  assistant: 'text-accent',
  error: 'text-bad',
};

/** Who said what, in the order in which it was said. */
export function Conversation({ messages }: { messages: readonly Message[] }) {
  return (
    <ol className="flex flex-col divide-y divide-line px-4 sm:px-6">
      {messages.map(({ role, parts }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: turns have no names, and do not move
        <li key={index} className="grid gap-x-6 gap-y-1 py-4 sm:grid-cols-[72px_1fr]">
          <h3 className={`text-meta font-[560] ${signs[role] ?? 'text-muted'}`}>{role}</h3>
          <div className="min-w-0 max-w-[72ch]">
            {parts.map((part, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and do not move
              <PartShown key={place} part={part} />
            ))}
          </div>
        </li>
      ))}
    </ol>
  );
}

/** A file: a small picture of it, or what it is where it is no picture, or a cut one. */
function Media({ text, picture }: Part) {
  const [isBroken, setBroken] = useState(false);
  if (picture && !isBroken)
    return (
      <img
        src={picture}
        alt={text}
        onError={() => setBroken(true)}
        className="my-1 max-h-40 max-w-60 rounded-control border border-line"
      />
    );
  return (
    <span className="inline-flex items-center gap-1 rounded-control border border-line bg-sunken px-2 text-muted">
      <Icon name="eye" size={14} /> {text}
    </span>
  );
}

function PartShown({ part }: { part: Part }) {
  const { kind, text } = part;
  const [isWhole, setWhole] = useState(false);
  if (kind === 'media') return <Media {...part} />;
  const shown = isWhole ? text : text.slice(0, LONG);
  return (
    <>
      {kind === 'code' ? (
        <pre className="mono overflow-x-auto rounded-control bg-sunken p-2">{shown}</pre>
      ) : (
        <Markdown text={shown} />
      )}
      {text.length > shown.length && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          … {bytes(text.length - shown.length)} more
        </Button>
      )}
    </>
  );
}
