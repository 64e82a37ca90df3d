import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { reasonEntries } from 'trimtab/api/reasons/reasons.ts';
import { describe, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { allMetrics } from '../reference/all-metrics.ts';
import { alertCases } from './alert-cases.ts';
import { alerts } from './alerts.ts';
import { dashboard } from './dashboard.ts';
import { groupedBy, metricsIn } from './expression.ts';
import { rows } from './panels.ts';
import { rules, runbook } from './rules.ts';

const root = path.resolve(import.meta.dirname, '../..');
const queries = rows.flatMap(({ panels }) =>
  panels.flatMap(({ title, queries: own }) => own.map(({ expr, legend }) => ({ what: title, expr, legend }))),
);
const expressions = [...queries, ...alerts.map(({ name, expr }) => ({ what: name, expr, legend: '' }))];

/** Labels that Prometheus adds to every series of a target. */
const ofTarget = ['namespace', 'job', 'pod', 'instance'];
const metrics = new Map(
  Object.values(allMetrics())
    .flat()
    .flatMap(({ name, type, labels }) =>
      type === 'histogram' ? [[`${name}_bucket`, [...labels, 'le']] as const] : [[name, labels] as const],
    ),
);

test.each(expressions)('$what reads metrics that exist: $expr', ({ expr, legend }) => {
  const used = metricsIn(expr);
  expect(used.length).toBeGreaterThan(0);
  const known: string[] = [...ofTarget];
  for (const { metric, labels } of used) {
    expect([...metrics.keys()]).toContain(metric);
    known.push(...(metrics.get(metric) ?? []));
    for (const label of labels) expect([...ofTarget, ...(metrics.get(metric) ?? [])]).toContain(label);
  }
  const shown = [...legend.matchAll(/{{(\w+)}}/g)].map(([, label = '']) => label);
  for (const label of [...groupedBy(expr), ...shown]) expect(known).toContain(label);
});

test('the test of expressions finds metrics and labels', () => {
  expect(
    metricsIn('sum by (a, b) (rate(x_total{c="d", e=~"f|g"}[5m])) > 0 or absent(y) - time() < 7 * 86400'),
  ).toEqual([
    { metric: 'x_total', labels: ['c', 'e'] },
    { metric: 'y', labels: [] },
  ]);
});

test('alerts name reasons that exist', () => {
  const reasons: string[] = reasonEntries().map(([reason]) => reason);
  const named = alerts.flatMap(({ expr }) =>
    [...expr.matchAll(/reason!?[=~]+"([^"]+)"/g)].flatMap(([, list = '']) => list.split('|')),
  );
  expect(named.length).toBeGreaterThan(0);
  for (const reason of named) expect(reasons).toContain(reason);
});

test('each alert has its runbook', () => {
  for (const { name } of alerts) expect(existsSync(path.join(root, runbook(name))), name).toBe(true);
});

test('the dashboard leaves the uid and the data source to Grafana', () => {
  const text = dashboard();
  const model = JSON.parse(text);
  expect(model.uid).toBeUndefined();
  expect(model.id).toBeUndefined();
  const ids = model.panels.map(({ id }: { id: number }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  expect(new Set([...text.matchAll(/"uid": "([^"]*)"/g)].map(([, uid]) => uid))).toEqual(
    new Set(['$datasource']),
  );
});

describe.runIf(hasPromtool())('promtool', () => {
  test('accepts the rules, and each alert fires when it should', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'trimtab-rules-'));
    try {
      writeFileSync(path.join(folder, 'rules.yaml'), rules());
      promtool(folder, 'check', 'rules', 'rules.yaml');
      expect(Object.keys(alertCases).sort()).toEqual(alerts.map(({ name }) => name).sort());
      const tests = Object.entries(alertCases).flatMap(([alertname, cases]) =>
        cases.map(({ what, series, at, fires }) => ({
          name: `${alertname}: ${what}`,
          interval: '1m',
          input_series: Object.entries(series).map(([name, values]) => ({ series: name, values })),
          alert_rule_test: [
            { eval_time: at, alertname, exp_alerts: fires.map((labels) => expected(alertname, labels)) },
          ],
        })),
      );
      writeFileSync(
        path.join(folder, 'tests.yaml'),
        stringify({ rule_files: ['rules.yaml'], evaluation_interval: '1m', tests }),
      );
      promtool(folder, 'test', 'rules', 'tests.yaml');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

/** What promtool expects: all labels and the rendered annotations. */
function expected(name: string, { value, ...labels }: Record<string, string>) {
  const alert = alerts.find((each) => each.name === name);
  const render = (text = '') =>
    text
      .replace(/{{ \$labels\.(\w+) }}/g, (_, label) => labels[label] ?? '')
      .replace(/{{ \$value(?: \| humanizeDuration)? }}/g, value ?? '');
  return {
    exp_labels: { severity: alert?.severity, ...labels },
    exp_annotations: {
      summary: render(alert?.summary),
      description: render(alert?.description),
      runbook_url: runbook(name),
    },
  };
}

function promtool(folder: string, ...args: string[]): void {
  try {
    execFileSync('promtool', args, { cwd: folder, stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: Buffer; stderr: Buffer };
    throw new Error(`promtool ${args.join(' ')}:\n${stdout}${stderr}`);
  }
}

function hasPromtool(): boolean {
  try {
    execFileSync('promtool', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
