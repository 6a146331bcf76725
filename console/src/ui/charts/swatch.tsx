import { type Colour, paint } from './colours.ts';

/** The colour of a name in a chart, beside the name. */
export const Swatch = ({ colour }: { colour: Colour }) => (
  <svg aria-hidden width="8" height="8" className="shrink-0">
    <rect width="8" height="8" rx="2" fill={paint(colour)} />
  </svg>
);
