import fc from 'fast-check';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { createRegistry, type Labels } from './metrics.ts';
import { registerEventLoopLag, registerProcessMetrics } from './process-metrics.ts';

describe('Prometheus scrapes', () => {
  test('a counter with labels, one without', () => {
    const registry = createRegistry();
    const requests = registry.counter({
      name: 'trimtab_requests_total',
      help: 'Requests by verb.\nTwo lines, one \\.',
      labels: ['verb', 'code'],
    });
    requests.inc({ verb: 'GET', code: 200 });
    requests.inc({ code: 200, verb: 'GET' }, 2);
    requests.inc({ verb: 'PUT', code: 409 });
    registry.counter({ name: 'trimtab_restarts_total', help: 'Restarts.' });
    expect(registry.render()).toBe(
      [
        '# HELP trimtab_requests_total Requests by verb.\\nTwo lines, one \\\\.',
        '# TYPE trimtab_requests_total counter',
        'trimtab_requests_total{verb="GET",code="200"} 3',
        'trimtab_requests_total{verb="PUT",code="409"} 1',
        '# HELP trimtab_restarts_total Restarts.',
        '# TYPE trimtab_restarts_total counter',
        'trimtab_restarts_total 0',
        '',
      ].join('\n'),
    );
  });

  test('the buckets of a histogram are cumulative', () => {
    const registry = createRegistry();
    const latency = registry.histogram({
      name: 'latency_seconds',
      help: 'Latency.',
      labels: ['path'],
      buckets: [0.1, 1, 10],
    });
    for (const seconds of [0.05, 0.1, 0.5, 20]) latency.observe({ path: '/' }, seconds);
    expect(registry.render().split('\n').slice(2, -1)).toEqual([
      'latency_seconds_bucket{path="/",le="0.1"} 2',
      'latency_seconds_bucket{path="/",le="1"} 3',
      'latency_seconds_bucket{path="/",le="10"} 3',
      'latency_seconds_bucket{path="/",le="+Inf"} 4',
      'latency_seconds_sum{path="/"} 20.65',
      'latency_seconds_count{path="/"} 4',
    ]);
  });

  test('a gauge goes up and down, or is computed for each scrape', () => {
    const registry = createRegistry();
    const open = registry.gauge({ name: 'open', help: 'Open.' });
    open.set({}, 5);
    open.inc({});
    open.dec({}, 4);
    let queues = new Map([['a', 1]]);
    registry.gauge({
      name: 'queue',
      help: 'Depth.',
      labels: ['name'],
      collect: (set) => queues.forEach((depth, name) => void set({ name }, depth)),
    });
    expect(registry.render()).toMatch(/^open 2$/m);
    expect(registry.render()).toMatch(/^queue\{name="a"\} 1$/m);
    queues = new Map([['b', Number.POSITIVE_INFINITY]]);
    expect(registry.render()).toMatch(/^queue\{name="b"\} \+Inf$/m);
    expect(registry.render()).not.toContain('name="a"');
  });

  test('two users of a registry share a metric of the same name', () => {
    const registry = createRegistry();
    const options = { name: 'calls_total', help: 'Calls.' };
    registry.counter(options).inc();
    registry.counter(options).inc({}, 2);
    expect(registry.render()).toMatch(/^calls_total 3$/m);
    expect(() => registry.counter({ ...options, labels: ['x'] })).toThrow(
      'calls_total is already registered',
    );
    expect(() => registry.gauge(options)).toThrow('calls_total is already registered');
  });

  test('names, labels and buckets that Prometheus would refuse are refused when they are declared', () => {
    const registry = createRegistry();
    const help = 'No.';
    expect(() => registry.gauge({ name: 'has-dash', help })).toThrow('has-dash');
    expect(() => registry.gauge({ name: 'a', help, labels: ['le'] })).toThrow("'le'");
    expect(() => registry.gauge({ name: 'a', help, labels: ['__x'] })).toThrow("'__x'");
    expect(() => registry.gauge({ name: 'a', help, labels: ['x', 'x'] })).toThrow('duplicate labels');
    expect(() => registry.counter({ name: 'a', help })).toThrow('_total');
    expect(() => registry.histogram({ name: 'a', help, buckets: [1, 1] })).toThrow('ascending');
    expect(() => registry.histogram({ name: 'a', help, buckets: [] })).toThrow('ascending');
    expect(() => registry.counter({ name: 'a_total', help }).inc({}, -1)).toThrow('cannot decrease');
  });

  test('label names are checked by the compiler', () => {
    const registry = createRegistry();
    const counter = registry.counter({ name: 'a_total', help: 'A.', labels: ['verb', 'code'] });
    expectTypeOf(counter.inc).parameter(0).toEqualTypeOf<Labels<'verb' | 'code'>>();
    expectTypeOf(registry.counter({ name: 'b_total', help: 'B.' }).inc).toBeCallableWith();
  });

  test('any label value can be read back, and two values are never one series', () => {
    const unit = fc.constantFrom('a', '"', '\\', '\n', '\r', ',', '{', '}', '=', 'é', '\u0000');
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ unit }), { minLength: 1 }), (values) => {
        const registry = createRegistry();
        const gauge = registry.gauge({ name: 'g', help: 'G.', labels: ['v'] });
        values.forEach((v, index) => {
          gauge.set({ v }, index);
        });
        const lines = registry.render().split('\n').slice(2, -1);
        const read = lines.map((line) =>
          (/^g\{v="(.*)"\} \d+$/s.exec(line)?.[1] ?? '').replace(/\\(.)/g, (_, c) => (c === 'n' ? '\n' : c)),
        );
        expect(read).toEqual(values);
      }),
    );
  });

  test('process metrics have their usual names', () => {
    const registry = createRegistry();
    registerProcessMetrics(registry);
    const stop = registerEventLoopLag(registry);
    const text = registry.render();
    stop();
    expect(Number(/^process_resident_memory_bytes (\d+)$/m.exec(text)?.[1])).toBeGreaterThan(1e6);
    expect(text).toMatch(/^process_cpu_seconds_total [\d.]+$/m);
    expect(text).toMatch(/^process_start_time_seconds \d+/m);
    expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds [\d.]+$/m);
  });
});
