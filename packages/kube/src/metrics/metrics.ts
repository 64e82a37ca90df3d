import { type Family, observe, renderFamily, seriesOf } from './metrics-text.ts';

/**
 * Counters, gauges and histograms in the Prometheus text format 0.0.4. Written here because a client library
 * would be the largest part of the agent for what is a page of code.
 */

/** Every label of the metric, no other. Keep the values few: each combination lives as long as the program. */
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
}

interface MetricOptions<L extends string> {
  name: string;
  help: string;
  labels?: readonly L[];
}

interface CollectedOptions<L extends string> extends MetricOptions<L> {
  /** Called for each scrape; the metric then holds what it sets and nothing from before. */
  collect?: (set: (labels: Labels<L>, value: number) => void) => void;
}

interface HistogramOptions<L extends string> extends MetricOptions<L> {
  /** Upper bounds, ascending; +Inf is added. */
  buckets: readonly number[];
}

/**
 * Asking twice for a metric of the same name gives the same one, so that two clients can share a registry;
 * with another type, other labels or other buckets it is a mistake in the program and throws.
 */
export interface Registry {
  counter<const L extends string = never>(options: CollectedOptions<L>): Counter<L>;
  gauge<const L extends string = never>(options: CollectedOptions<L>): Gauge<L>;
  histogram<const L extends string = never>(options: HistogramOptions<L>): Histogram<L>;
  render(): string;
  /** What there is, for a reference. */
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
        throw new RangeError(`metric ${options.name} exists already as ${before}`);
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
    // Without labels there is one series, and it is there from the start: a rate over it then starts at 0.
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
          if (!(by >= 0)) throw new RangeError(`counter ${family.name} cannot go down (by ${by})`);
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
      return { observe: (labels, value) => observe(family, labels, value) };
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
  if (!/^[a-zA-Z_:][a-zA-Z0-9_:]*$/.test(name)) throw new RangeError(`not a metric name: '${name}'`);
  if (type === 'counter' && !name.endsWith('_total')) {
    throw new RangeError(`a counter's name ends with _total: '${name}'`);
  }
  for (const label of labels) {
    if (!/^[a-zA-Z_][a-zA-Z0-9_]*$/.test(label) || label.startsWith('__') || label === 'le') {
      throw new RangeError(`not a label name: '${label}' of ${name}`);
    }
  }
  if (new Set(labels).size !== labels.length) throw new RangeError(`metric ${name} has a label twice`);
  const ascending = buckets.every(
    (bound, i) => Number.isFinite(bound) && bound > (buckets[i - 1] ?? -Infinity),
  );
  if (!ascending || (type === 'histogram' && buckets.length === 0)) {
    throw new RangeError(`the buckets of ${name} are not finite and ascending: ${buckets.join(', ')}`);
  }
}
