/** A number that a part of the service offers to whoever watches it; it is read when somebody asks for the metrics. */
export type Gauge = {
  /** The name in Prometheus, such as `sluice_open_streams`. */
  name: string;
  help: string;
  /** A counter only grows while the process runs; `gauge` unless it says so. */
  kind?: 'counter' | 'gauge';
  /** How the gauges of several worker processes become one; `sum` unless it says so. */
  aggregator?: 'sum' | 'max' | 'min';
} & (
  | { label?: undefined; read(): number }
  /** One number for each value of the label. */
  | { label: string; read(): Iterable<readonly [labelValue: string, value: number]> }
);
