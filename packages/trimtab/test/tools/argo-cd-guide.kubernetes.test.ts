import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { guideSteps } from '../support/guide-blocks.ts';
import { GuideTerminal } from '../support/guide-terminal.ts';
import { installedStory } from '../support/installed-story.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { ArgoCd } from './support/argo-cd.ts';
import { manifestInGuide } from './support/argo-cd-guide.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const [wait = { script: '' }, ...others] = guideSteps('argo-cd.md').filter((step) => 'script' in step);

test('the command of the guide waits for a release and for a rollback', { timeout: 120_000 }, async () => {
  await using it = await installedStory(engine);
  await using _app = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await using argo = await ArgoCd.open(engine, it.namespace, { diff: 'server-side' });
  const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-guide-'));
  try {
    const kubeconfig = await engine.kubeconfigOf(undefined);
    const terminal = new GuideTerminal({ folder, kubectl: engine.kubectl, kubeconfig });
    await terminal.run(`kubectl config set-context --current --namespace=${it.namespace}`);
    const commits = (data: Record<string, string>) =>
      argo.commit(
        configMap('foo', data),
        deployment('web', mountingConfigMap('foo', '/etc/foo'), managed, runningTheApp),
        ...manifestInGuide<KubeObject>('rollout.yaml'),
      );
    await commits({ color: 'blue' });
    await argo.syncs();
    await settled(it, '1.0.0', ['web']);
    await it.strategyIs({ bakeSeconds: 1 });

    await commits({ color: 'green' });
    await argo.syncs();
    expect(await terminal.run(wait.script)).toMatchObject({ code: 0, stderr: '' });
    expect((await it.rollout()).status?.current?.version).toBe('1.0.1');
    expect(await argo.compares()).toMatchObject({ sync: 'Synced', health: 'Healthy' });

    await commits({ web: 'crash-loop' });
    await argo.syncs();
    expect(await terminal.run(wait.script)).toMatchObject({
      code: 3,
      stderr: expect.stringContaining('Version 1.0.2 was rolled back: Deployment web'),
    });
    expect(others).toEqual([]);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
