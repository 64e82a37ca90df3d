import { type Family, observe, renderFamily, seriesOf } from './metrics-text.ts';

/**
 * Counters, gauges and histograms in the Prometheus text format 0.0.4. No client library is used, because it would be
 * the largest part of the agent.
 */

/** Values for exactly the labels of the metric. Keep the number of combinations low: they are never freed. */
export type Labels<L extends string> = Readonly<Record<L, string | number>>;

interface Counter<L extends string> {
  inc(
    ...args: [L] extends [never] ? [labels?: Labels<L>, by?: number] : [labels: Labels<L>, by?: number]
  ): void;
}

interface Gauge<L extends string> {
  set(labels: Labels<L>, value: number): void;
  inc(labels: Labels<L>, by?: number): void;
  dec(labels: Labels<L>, by?: number): void;
}

interface Histogram<L extends string> {
  observe(labels: Labels<L>, value: number): void;
  /** Adds the series without an observation, so that Prometheus sees the first one as an increase. */
  zero(labels: Labels<L>): void;
}

interface MetricOptions<L extends string> {
  name: string;
  help: string;
  labels?: readonly L[];
}

interface CollectedOptions<L extends string> extends MetricOptions<L> {
  /** Called for each scrape. Replaces all series of the metric with those that it sets. */
  collect?: (set: (labels: Labels<L>, value: number) => void) => void;
}

interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** Upper bounds, ascending; +Inf is added. */
  buckets: readonly number[];
}

/**
 * Registering a name twice returns the same metric, so two clients can share a registry. A different type, label set
 * or bucket list for the same name is a defect and throws a RangeError.
 */
export interface Registry {
  counter<const L extends string = never>(options: CollectedOptions<L>): Counter<L>;
  gauge<const L extends string = never>(options: CollectedOptions<L>): Gauge<L>;
  histogram<const L extends string = never>(options: HistogramOptions<L>): Histogram<L>;
  render(): string;
  /** Lists all metrics, for the generated reference. */
  describe(): { name: string; type: string; help: string; labels: readonly string[] }[];
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8';

export function createRegistry(): Registry {
  const families = new Map<string, Family>();

  function register(
    type: Family['type'],
    options: MetricOptions<string>,
    buckets: readonly number[],
  ): Family {
    const labels = options.labels ?? [];
    const known = families.get(options.name);
    if (known !== undefined) {
      const before = JSON.stringify([known.type, known.labels, known.buckets]);
      if (before !== JSON.stringify([type, labels, buckets])) {
        throw new RangeError(`metric ${options.name} is already registered as ${before}`);
      }
      return known;
    }
    validate(type, options.name, labels, buckets);
    const family: Family = {
      type,
      name: options.name,
      help: options.help,
      labels,
      buckets,
      series: new Map(),
      collectors: [],
    };
    families.set(options.name, family);
    // A metric without labels has one series. It exists from the start, so a rate over it starts at 0.
    if (labels.length === 0) seriesOf(family, {});
    return family;
  }

  function registerCollected(type: 'counter' | 'gauge', options: CollectedOptions<string>): Family {
    const family = register(type, options, []);
    if (options.collect !== undefined) family.collectors.push(options.collect);
    return family;
  }

  return {
    counter(options) {
      const family = registerCollected('counter', options);
      return {
        inc(...[labels, by = 1]: [labels?: Labels<string>, by?: number]) {
          if (!(by >= 0)) throw new RangeError(`counter ${family.name} cannot decrease (by ${by})`);
          seriesOf(family, labels ?? {}).value += by;
        },
      };
    },
    gauge(options) {
      const family = registerCollected('gauge', options);
      const add = (labels: Labels<string>, by: number) => {
        seriesOf(family, labels).value += by;
      };
      return {
        set: (labels, value) => {
          seriesOf(family, labels).value = value;
        },
        inc: (labels, by = 1) => add(labels, by),
        dec: (labels, by = 1) => add(labels, -by),
      };
    },
    histogram(options) {
      const family = register('histogram', options, options.buckets);
      return {
        observe: (labels, value) => observe(family, labels, value),
        zero: (labels) => void seriesOf(family, labels),
      };
    },
    render: () => [...families.values()].map(renderFamily).join(''),
    describe: () =>
      [...families.values()].map(({ name, type, help, labels }) => ({ name, type, help, labels })),
  };
}

function validate(
  type: Family['type'],
  name: string,
  labels: readonly string[],
  buckets: readonly number[],
): void {
  if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw new RangeError(`'${name}' is not a valid metric name`);
  if (type === 'counter' && !name.endsWith('_total')) {
    throw new RangeError(`the name of counter '${name}' must end with _total`);
  }
  for (const label of labels) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label) || label.startsWith('__') || label === 'le') {
      throw new RangeError(`'${label}' of metric ${name} is not a valid label name`);
    }
  }
  if (new Set(labels).size !== labels.length) throw new RangeError(`metric ${name} has duplicate labels`);
  const ascending = buckets.every(
    (bound, i) => Number.isFinite(bound) && bound > (buckets[i - 1] ?? -Infinity),
  );
  if (!ascending || (type === 'histogram' && buckets.length === 0)) {
    throw new RangeError(`the buckets of metric ${name} must be finite and ascending: ${buckets.join(', ')}`);
  }
}
