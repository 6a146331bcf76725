import { useState } from 'react';
import { useDocument } from '../../../data/use-document.ts';
import { useMay } from '../../../shell/session/viewer.ts';
import { Asked } from '../../../shell/states/asked.tsx';
import { Button, Section, TextField } from '../../../ui/index.ts';
import { VectorStoreHitsDocument, type VectorStoreHitsQuery } from '../documents.ts';

/** The longest text that is searched for. */
const MAX_LENGTH = 4096;

/** What an assistant would find in a store, with the score of each hit. */
export function SearchBox({ store, isExpired }: { store: string; isExpired: boolean }) {
  const [text, setText] = useState('');
  const [asked, setAsked] = useState('');
  const { refusal } = useMay('completions.write');
  const query = useDocument(
    VectorStoreHitsDocument,
    { id: store, input: { query: asked } },
    { isEnabled: asked !== '' },
  );
  const why = refusal ?? (isExpired ? 'It has expired: searches are refused.' : null);
  return (
    <Section title="Search">
      <form
        className="flex items-end gap-2 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          setAsked(text.trim());
        }}
      >
        <div className="flex-1">
          <TextField
            label="Search for"
            maxLength={MAX_LENGTH}
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
        </div>
        <Button
          type="submit"
          icon="search"
          refusal={why ?? (text.trim() === '' ? 'Write what to search for.' : null)}
        >
          Search
        </Button>
      </form>
      {asked !== '' && (
        <Asked query={query} what="Hits">
          {(answer) => <Hits hits={answer.searchVectorStore?.data ?? []} />}
        </Asked>
      )}
    </Section>
  );
}

type Hit = NonNullable<VectorStoreHitsQuery['searchVectorStore']>['data'][number];

const Hits = ({ hits }: { hits: readonly Hit[] }) => (
  <ol aria-label="Hits" className="flex flex-col gap-3 px-4 pb-4">
    {hits.length === 0 && <li>Nothing there answers that.</li>}
    {hits.map(({ fileId, filename, score, content }, place) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a file may be found in several places, and hits stand by rank
      <li key={`${fileId}-${place}`}>
        <span className="flex gap-3">
          <span className="min-w-0 flex-1 truncate font-[560]">{filename}</span>
          <span>score {score.toFixed(3)}</span>
        </span>
        <p className="line-clamp-4 break-words whitespace-pre-wrap text-muted">
          {content.map((part) => part.text).join('\n')}
        </p>
      </li>
    ))}
  </ol>
);
