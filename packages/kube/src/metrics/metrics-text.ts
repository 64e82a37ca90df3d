/** Time series of metrics.ts and their representation in the Prometheus text format. */

type LabelValues = Readonly<Record<string, string | number>>;

interface Series {
  /** The value; for a histogram, the sum of all observations. */
  value: number;
  count: number;
  /** Number of observations in each bucket, not cumulative. */
  buckets: number[];
}

export interface Family {
  type: 'counter' | 'gauge' | 'histogram';
  name: string;
  help: string;
  labels: readonly string[];
  buckets: readonly number[];
  /** The key is the rendered labels. */
  series: Map<string, Series>;
  collectors: ((set: (labels: LabelValues, value: number) => void) => void)[];
}

export function seriesOf(family: Family, labels: LabelValues): Series {
  const key = family.labels.map((label) => `${label}="${escapeValue(labels[label])}"`).join(',');
  let series = family.series.get(key);
  if (series === undefined) {
    series = { value: 0, count: 0, buckets: family.buckets.map(() => 0) };
    family.series.set(key, series);
  }
  return series;
}

export function observe(family: Family, labels: LabelValues, value: number): void {
  const series = seriesOf(family, labels);
  series.value += value;
  series.count += 1;
  const index = family.buckets.findIndex((bound) => value <= bound);
  if (index >= 0) series.buckets[index] = (series.buckets[index] ?? 0) + 1;
}

export function renderFamily(family: Family): string {
  if (family.collectors.length > 0) {
    family.series.clear();
    for (const collect of family.collectors) {
      collect((labels, value) => {
        seriesOf(family, labels).value = value;
      });
    }
  }
  const lines = [
    `# HELP ${family.name} ${family.help.replace(/\\/g, '\\\\').replace(/\n/g, '\\n')}`,
    `# TYPE ${family.name} ${family.type}`,
  ];
  for (const [labels, series] of family.series) {
    if (family.type === 'histogram') lines.push(...histogramLines(family, labels, series));
    else lines.push(`${family.name}${braces(labels)} ${number(series.value)}`);
  }
  return `${lines.join('\n')}\n`;
}

function histogramLines(family: Family, labels: string, series: Series): string[] {
  const prefix = labels === '' ? '' : `${labels},`;
  let cumulative = 0;
  const buckets = family.buckets.map((bound, index) => {
    cumulative += series.buckets[index] ?? 0;
    return `${family.name}_bucket{${prefix}le="${number(bound)}"} ${cumulative}`;
  });
  return [
    ...buckets,
    `${family.name}_bucket{${prefix}le="+Inf"} ${series.count}`,
    `${family.name}_sum${braces(labels)} ${number(series.value)}`,
    `${family.name}_count${braces(labels)} ${series.count}`,
  ];
}

function braces(labels: string): string {
  return labels === '' ? '' : `{${labels}}`;
}

function number(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return Number.isNaN(value) ? 'NaN' : value > 0 ? '+Inf' : '-Inf';
}

function escapeValue(value: string | number | undefined): string {
  const text = String(value ?? '');
  return /[\\"\n]/.test(text) ? text.replace(/\\/g, '\\\\').replace(/"/g, '\\"').replace(/\n/g, '\\n') : text;
}
