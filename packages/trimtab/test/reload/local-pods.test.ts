import { configMaps } from '@trimtab/kube/resource.ts';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { openLocalEngineWithNode } from '@trimtab/test-bed/engines/local-engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { settled } from '../support/settled.ts';
import { servingFile } from './support/node-app.ts';
import { proposalWalk } from './support/proposal-walk.ts';
import { RealReload, reloadedBy } from './support/real-reload.ts';

/** Reloads with real agents on the local cluster, where pods are processes of this machine. */

let engine: Engine;

beforeAll(async () => {
  engine = await openLocalEngineWithNode({});
});
afterAll(() => engine?.close());

describe.runIf(process.platform === 'linux' && findKubectl() !== undefined)('on the local cluster', () => {
  test('a change reaches the application by SIGUSR1, in the same process', { timeout: 120_000 }, async () => {
    await using real = await RealReload.open(engine);
    const { it } = real;
    await it.shortBake(['foo'], { bakeSeconds: 0 });
    await it.given.objects(
      configMap('foo', { color: 'blue' }),
      deployment(
        'web',
        mountingConfigMap('foo', '/etc/foo'),
        servingFile(engine, '/etc/foo/color'),
        reloadedBy(),
      ),
    );
    const [pod] = await real.readyPods('web');
    const url = `http://${pod?.address}:8080/`;
    await real.answers(url, 'blue');
    await settled(it, '1.0.0', ['web']);
    await it.when.edited(configMaps, 'foo', withData({ color: 'green' }));
    await real.answers(url, 'green');
    await settled(it, '1.0.1', ['web']);
    expect(await real.readyPods('web')).toEqual([pod]);
  });

  test('the walk of the proposal', { timeout: 120_000 }, () => proposalWalk(engine));
});
