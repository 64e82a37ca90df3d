import { afterAll, expect, test } from 'vitest';
import { configRollouts } from '../../../src/controller/picture/picture.ts';
import { pods, statefulSets } from '../../../src/kube/resource.ts';
import { currentEngine } from '../../support/engine.ts';
import { Stage } from '../../support/faults/stage.ts';
import { scenarios } from './scenarios.ts';

const engine = await currentEngine();
afterAll(() => engine.close());
test.concurrent.each(Array.from({ length: 40 }, (_, i) => i))('run %i', { timeout: 120_000 }, async () => {
  await using stage = await Stage.open(engine);
  await stage.controllers.start();
  const timer = setTimeout(async () => {
    for (const r of [configRollouts, statefulSets, pods]) {
      const { items } = await stage.client.list(r, { namespace: stage.namespace });
      console.log('STUCK', JSON.stringify(items.map(({ metadata, ...rest }) => ({ ...rest, metadata: { name: metadata.name, annotations: metadata.annotations, labels: metadata.labels, generation: metadata.generation } }))));
    }
  }, 25_000);
  try {
    const run = await stage.play(scenarios.rolledBack);
    expect(run.violations).toEqual([]);
  } finally {
    clearTimeout(timer);
  }
});
