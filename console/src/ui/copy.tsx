import { useEffect, useState } from 'react';
import { Button, IconButton } from './button.tsx';
import { classes } from './classes.ts';

/** Milliseconds for which a button says that it has copied. */
const SAID_MS = 1600;

export function useCopy(): [boolean, (text: string) => void] {
  const [isCopied, setCopied] = useState(false);
  useEffect(() => {
    if (!isCopied) return;
    const timer = setTimeout(() => setCopied(false), SAID_MS);
    return () => clearTimeout(timer);
  }, [isCopied]);
  const copy = (text: string) => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      // Without permission the text stays selectable where it stands.
      () => setCopied(false),
    );
  };
  return [isCopied, copy];
}

type CopyProps = { text: string; label?: string; className?: string };

/** Copies a text, and says so. */
export function CopyButton({ text, label = 'Copy', className }: CopyProps) {
  const [isCopied, copy] = useCopy();
  return (
    <Button icon={isCopied ? 'check' : 'copy'} className={className} onClick={() => copy(text)}>
      <span aria-live="polite">{isCopied ? 'Copied' : label}</span>
    </Button>
  );
}

export function CopyIcon({ text, label = 'Copy', className }: CopyProps) {
  const [isCopied, copy] = useCopy();
  return (
    <IconButton
      icon={isCopied ? 'check' : 'copy'}
      label={isCopied ? 'Copied' : label}
      className={className}
      onClick={() => copy(text)}
    />
  );
}

/** An identifier that copies itself when it is clicked. */
export function Id({ children, className }: { children: string; className?: string }) {
  const [isCopied, copy] = useCopy();
  return (
    <button
      type="button"
      title={isCopied ? 'Copied' : 'Click to copy'}
      onClick={() => copy(children)}
      className={classes(
        'mono min-h-6 max-w-full truncate rounded-[4px] px-1 text-left text-muted transition-colors hover:bg-hover hover:text-text',
        isCopied && 'text-ok',
        className,
      )}
    >
      {children}
    </button>
  );
}
