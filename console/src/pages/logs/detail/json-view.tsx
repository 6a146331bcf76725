import { useMemo, useState } from 'react';
import { bytes } from '../../../format/number.ts';
import { Button, CopyButton } from '../../../ui/index.ts';
import { mediaIn } from './media.ts';

type JsonViewProps = {
  value: unknown;
  /** Of the file that it is downloaded as. */
  name: string;
};

/** Children of a list or an object that are drawn before one asks for more. */
const MANY = 100;
/** Characters of a text that are drawn before one asks for more. */
const LONG = 2000;
/** Bytes from which on everything below the first level is folded. */
const LARGE = 64 * 1024;

/** JSON as a tree that draws what is unfolded alone, however large it is. */
export function JsonView({ value, name }: JsonViewProps) {
  const text = useMemo(() => (typeof value === 'string' ? value : JSON.stringify(value, null, 2)), [value]);
  const download = () => {
    const url = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
    Object.assign(document.createElement('a'), { href: url, download: name }).click();
    URL.revokeObjectURL(url);
  };
  return (
    <div className="relative rounded-control border border-line bg-sunken">
      <div className="absolute top-1 right-1 flex gap-1">
        <CopyButton text={text} />
        <Button icon="download" onClick={download}>
          {bytes(text.length)}
        </Button>
      </div>
      <div className="mono overflow-x-auto p-2 pt-9" role="region" aria-label={name} tabIndex={0}>
        <Node value={value} depth={text.length > LARGE ? 2 : 0} />
      </div>
    </div>
  );
}

type NodeProps = { name?: string; value: unknown; depth: number };

function Node({ name, value, depth }: NodeProps) {
  if (typeof value === 'string') return <Leaf name={name} value={value} />;
  if (value === null || typeof value !== 'object')
    return (
      <div className="pl-4">
        <Name name={name} />
        <span className="text-info">{String(value)}</span>
      </div>
    );
  return <Branch name={name} value={value} depth={depth} />;
}

const Name = ({ name }: { name: string | undefined }) =>
  name === undefined ? null : <span className="text-muted">{name}: </span>;

function Branch({ name, value, depth }: NodeProps & { value: object }) {
  const isList = Array.isArray(value);
  const entries = Object.entries(value);
  const [isOpen, setOpen] = useState(depth < 3 && entries.length <= MANY);
  const [shown, setShown] = useState(MANY);
  const size = isList ? `[${entries.length}]` : `{${entries.length}}`;
  if (entries.length === 0)
    return (
      <div className="pl-4">
        <Name name={name} />
        {isList ? '[]' : '{}'}
      </div>
    );
  return (
    <div>
      <button
        type="button"
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
        className="min-h-6 text-left hover:text-accent"
      >
        <span className="inline-block w-4 text-faint">{isOpen ? '▾' : '▸'}</span>
        <Name name={name} />
        <span className="text-faint">{size}</span>
      </button>
      {isOpen && (
        <div className="ml-2 border-l border-line pl-2">
          {entries.slice(0, shown).map(([key, child]) => (
            <Node key={key} name={key} value={child} depth={depth + 1} />
          ))}
          {entries.length > shown && (
            <Button look="quiet" onClick={() => setShown(shown + 1000)}>
              {entries.length - shown} more
            </Button>
          )}
        </div>
      )}
    </div>
  );
}

function Leaf({ name, value }: { name: string | undefined; value: string }) {
  const [isWhole, setWhole] = useState(false);
  const media = mediaIn(value);
  return (
    <div className="pl-4 break-words whitespace-pre-wrap">
      <Name name={name} />
      {media ? (
        <span className="rounded-[4px] border border-line px-1 text-muted">
          {media.type}, {bytes(media.size)}
        </span>
      ) : (
        <span>{isWhole ? value : value.slice(0, LONG)}</span>
      )}
      {!media && !isWhole && value.length > LONG && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          … {bytes(value.length - LONG)} more
        </Button>
      )}
    </div>
  );
}
