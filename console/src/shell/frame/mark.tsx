/** Water takes the open gate: the sign of the product. The upper way is closed. */
export const Mark = ({ size = 20 }: { size?: number }) => (
  <svg viewBox="0 0 32 32" width={size} height={size} aria-hidden className="shrink-0">
    <rect width="32" height="32" rx="8" fill="var(--accent)" />
    <path
      d="M6 16h6.5M12.5 16c4.5 0 3.5-6 8-6M12.5 16c4.5 0 3.5 6 8 6H26M22.5 6.5v7"
      fill="none"
      stroke="var(--on-accent)"
      strokeWidth="2.4"
      strokeLinecap="round"
    />
  </svg>
);
