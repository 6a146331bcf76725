import { type Colour, paint } from './colours.ts';

type SparklineProps = {
  values: readonly number[];
  /** A sentence that says what there is to see. */
  title: string;
  colour?: Colour;
  width?: number;
  height?: number;
};

/** The course of a figure, beside the figure; it begins at 0. */
export function Sparkline({ values, title, colour = 1, width = 96, height = 24 }: SparklineProps) {
  const top = Math.max(...values, 0) || 1;
  const step = width / Math.max(values.length - 1, 1);
  const points = values.map(
    (value, index) =>
      `${(index * step).toFixed(1)},${(height - 1 - (value / top) * (height - 3)).toFixed(1)}`,
  );
  return (
    <svg
      role="img"
      aria-label={title}
      viewBox={`0 0 ${width} ${height}`}
      width={width}
      height={height}
      preserveAspectRatio="none"
      className="block overflow-visible"
    >
      <polyline
        points={`0,${height} ${points.join(' ')} ${width},${height}`}
        fill={paint(colour)}
        opacity={0.12}
        stroke="none"
      />
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke={paint(colour)}
        strokeWidth={1.5}
        strokeLinejoin="round"
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}
