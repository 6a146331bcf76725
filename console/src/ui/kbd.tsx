/** A key to press. */
export const Kbd = ({ children }: { children: string }) => (
  <kbd className="inline-grid h-[18px] min-w-[18px] place-items-center rounded-[4px] border border-line bg-sunken px-1 text-[11px] text-muted">
    {children}
  </kbd>
);
