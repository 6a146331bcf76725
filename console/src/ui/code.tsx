import { classes } from './classes.ts';
import { CopyIcon } from './copy.tsx';

type CodeProps = {
  text: string;
  /** What it is, for those who do not see where it stands. */
  label: string;
  /** What is copied, where that is not what is shown. */
  copied?: string;
  className?: string;
};

/** Lines of code or JSON in a well, with a button that copies them. */
export function Code({ text, label, copied = text, className }: CodeProps) {
  return (
    <figure className={classes('relative rounded-control border border-line bg-sunken', className)}>
      {/* A region that scrolls must be reached by keyboard. */}
      <pre
        tabIndex={0}
        role="region"
        aria-label={label}
        className="mono max-h-96 overflow-auto rounded-control py-2 pr-12 pl-3 whitespace-pre outline-offset-[-2px]"
      >
        {text}
      </pre>
      <CopyIcon text={copied} label={`Copy ${label}`} className="absolute top-1 right-1 bg-sunken" />
    </figure>
  );
}
