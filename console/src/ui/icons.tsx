import type { ReactNode } from 'react';

/** Strokes of 1.5 on a grid of 16. */
const paths = {
  home: <path d="M2.5 7.2 8 2.8l5.5 4.4v6H9.7V9.6H6.3v3.6H2.5z" />,
  logs: <path d="M2.5 4h11M2.5 8h11M2.5 12h7" />,
  spend: <path d="M2.5 13.2V9.5M6.2 13.2V5.8M9.8 13.2V8M13.5 13.2V2.8" />,
  play: <path d="M4.5 3.2v9.6l8-4.8z" />,
  providers: <path d="M8 2.5 13.5 5.3 8 8.1 2.5 5.3zM2.5 8 8 10.8 13.5 8M2.5 10.7 8 13.5l5.5-2.8" />,
  configs: (
    <path d="M2.5 8h3.2M5.7 8c2.4 0 2-4 4.6-4h3.2M5.7 8c2.4 0 2 4 4.6 4h3.2M11.7 2.2 13.5 4l-1.8 1.8M11.7 10.2l1.8 1.8-1.8 1.8" />
  ),
  keys: (
    <path
      d="M9.1 6.9 13.5 2.5M11.7 4.3l1.5 1.5M5.8 13.2a3 3 0 1 0 0-6 3 3 0 0 0 0 6z"
      transform="translate(.9 -.4)"
    />
  ),
  shield: <path d="M8 2.2 13 4v4c0 3-2 5-5 6-3-1-5-3-5-6V4zM5.8 8l1.6 1.6 2.9-3" />,
  tools: <path d="M5.5 2.5v3M10.5 2.5v3M3.8 5.5h8.4v2.7a4.2 4.2 0 0 1-8.4 0zM8 12.4v1.4" />,
  assistant: <path d="M3 5.5h10v7H3zM8 5.5V3M6 8.3v1.2M10 8.3v1.2M1.5 8.3v1.6M14.5 8.3v1.6" />,
  limits: <path d="M2.7 12.2a5.8 5.8 0 1 1 10.6 0M8 9.4l2.6-3.2M8 9.9a.6.6 0 1 0 0-1.2.6.6 0 0 0 0 1.2z" />,
  access: (
    <path d="M6 7.4a2.4 2.4 0 1 0 0-4.8 2.4 2.4 0 0 0 0 4.8zM1.8 13.2c.3-2.4 2-3.7 4.2-3.7s3.9 1.3 4.2 3.7M10.6 2.9a2.4 2.4 0 0 1 0 4.2M12 9.9c1.3.5 2 1.7 2.2 3.3" />
  ),
  audit: <path d="M4 2.5h8v11H4zM6.2 5.5h3.6M6.2 8h3.6M6.2 10.5h2" />,
  settings: (
    <path d="M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM8 1.8v1.7M8 12.5v1.7M1.8 8h1.7M12.5 8h1.7M3.6 3.6l1.2 1.2M11.2 11.2l1.2 1.2M3.6 12.4l1.2-1.2M11.2 4.8l1.2-1.2" />
  ),
  search: <path d="M7 11.5a4.5 4.5 0 1 0 0-9 4.5 4.5 0 0 0 0 9zM10.3 10.3l3.2 3.2" />,
  filter: <path d="M2.5 3.5h11L9.5 8.3v4.2l-3 1V8.3z" />,
  columns: <path d="M2.5 3h11v10h-11zM6.2 3v10M9.8 3v10" />,
  download: <path d="M8 2.5v7.5M4.8 7 8 10.2 11.2 7M2.5 13.3h11" />,
  bookmark: <path d="M4.2 2.5h7.6v11L8 10.6l-3.8 2.9z" />,
  copy: <path d="M5.5 5.5h8v8h-8zM10.5 5.5v-3h-8v8h3" />,
  check: <path d="m3 8.5 3.3 3.3L13 4.8" />,
  cross: <path d="m3.8 3.8 8.4 8.4M12.2 3.8l-8.4 8.4" />,
  plus: <path d="M8 3v10M3 8h10" />,
  minus: <path d="M3 8h10" />,
  down: <path d="m4 6.2 4 4 4-4" />,
  up: <path d="m4 9.8 4-4 4 4" />,
  right: <path d="m6.2 4 4 4-4 4" />,
  left: <path d="m9.8 4-4 4 4 4" />,
  more: <path d="M3.5 8h.01M8 8h.01M12.5 8h.01" strokeWidth={2.2} />,
  menu: <path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />,
  warn: <path d="M8 2.5 14.2 13H1.8zM8 6.5v3M8 11.2h.01" />,
  bad: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 5v3.6M8 10.9h.01" />,
  info: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 7.4v3.6M8 5.1h.01" />,
  ok: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM5.3 8.2l1.9 1.9 3.5-3.9" />,
  clock: <path d="M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.8V8l2.2 1.4" />,
  link: (
    <path d="M6.7 9.3l2.6-2.6M7.3 4.9l1.5-1.5a2.7 2.7 0 0 1 3.8 3.8l-1.5 1.5M8.7 11.1l-1.5 1.5a2.7 2.7 0 0 1-3.8-3.8l1.5-1.5" />
  ),
  sun: (
    <path d="M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1.5v1.3M8 13.2v1.3M1.5 8h1.3M13.2 8h1.3M3.4 3.4l.9.9M11.7 11.7l.9.9M3.4 12.6l.9-.9M11.7 4.3l.9-.9" />
  ),
  moon: <path d="M13.3 9.6A5.7 5.7 0 0 1 6.4 2.7a5.7 5.7 0 1 0 6.9 6.9z" />,
  out: <path d="M6.5 13.5h-4v-11h4M10.3 11.2 13.5 8l-3.2-3.2M13.2 8H6.2" />,
  rotate: <path d="M13 8a5 5 0 1 1-1.6-3.7M13.2 2.2v2.6h-2.6" />,
  trash: <path d="M2.5 4.3h11M6 4.3V2.5h4v1.8M4 4.3l.6 9.2h6.8l.6-9.2" />,
  eye: (
    <path d="M1.5 8S4 3.8 8 3.8 14.5 8 14.5 8 12 12.2 8 12.2 1.5 8 1.5 8zM8 9.8a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6z" />
  ),
  key: <path d="M9.5 6.5a3.5 3.5 0 1 1-1-2.4M8.6 8.7l4.7 4.7M11.3 11.4l1.2-1.2" transform="rotate(-8 8 8)" />,
  external: <path d="M9.5 2.5h4v4M13.3 2.7 7.5 8.5M11.5 9.5v4h-9v-9h4" />,
  edit: <path d="M10.5 3 13 5.5 5.7 12.8l-3.2.7.7-3.2z" />,
  up2: <path d="M8 13V3M4 7l4-4 4 4" />,
  thumbUp: (
    <path d="M2.5 7.3h2.3v6H2.5zM4.8 7.5 7.6 2.6c1.2 0 1.7.8 1.5 1.9L8.7 6.6h3.6c.9 0 1.4.7 1.2 1.5l-1 4c-.2.7-.7 1.1-1.4 1.1H4.8" />
  ),
  thumbDown: (
    <path d="M2.5 8.7h2.3v-6H2.5zM4.8 8.5l2.8 4.9c1.2 0 1.7-.8 1.5-1.9l-.4-2.1h3.6c.9 0 1.4-.7 1.2-1.5l-1-4c-.2-.7-.7-1.1-1.4-1.1H4.8" />
  ),
} satisfies Record<string, ReactNode>;

export type IconName = keyof typeof paths;

/** A sign beside a word; `label` says what it means where no word stands beside it. */
export function Icon({ name, size = 16, label }: { name: IconName; size?: number; label?: string }) {
  return (
    <svg
      viewBox="0 0 16 16"
      width={size}
      height={size}
      fill="none"
      stroke="currentColor"
      strokeWidth={1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      className="shrink-0"
      role={label ? 'img' : undefined}
      aria-label={label}
      aria-hidden={label ? undefined : true}
    >
      {paths[name]}
    </svg>
  );
}
