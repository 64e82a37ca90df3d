import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configMaps, deployments, replicaSets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { afterAll, test } from 'vitest';
import { guideSteps } from '../support/guide-blocks.ts';
import { expectOutput } from '../support/guide-output.ts';
import { GuideTerminal } from '../support/guide-terminal.ts';
import { installedStory } from '../support/installed-story.ts';
import { SimulatedApp } from '../support/simulated-app.ts';
import { Flux, filesIn } from './support/flux.ts';

/** The blocks of docs/guides/flux.md in order. */

const engine = await currentEngine();
afterAll(() => engine.close());

test('every block of the guide does what the guide says', { timeout: 300_000 }, async () => {
  await using it = await installedStory(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, ({ color }) =>
    color === 'red' ? { crashes: 'no such color', exitCode: 1 } : 'works',
  );
  await using flux = await Flux.start(engine, it.namespace);
  const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-guide-'));
  try {
    const kubeconfig = await engine.kubeconfigOf(undefined);
    const terminal = new GuideTerminal({ folder, kubectl: engine.kubectl, kubeconfig });
    await terminal.run(`kubectl config set-context --current --namespace=${it.namespace}`);
    // The story has released a config of its own to find out that the webhook answers.
    await terminal.run('kubectl delete configmap/warm configrollout/configmap-warm');
    // What the repository contains, with the folder of the Kustomization that depends on the release.
    const repository = filesIn('tests', [configMap('tests')]);
    let isCommitted = false;
    for (const step of guideSteps('flux.md')) {
      if ('script' in step) {
        // A waiting command may start before Flux has the commit.
        const publishing = isCommitted ? undefined : flux.publishes(repository);
        isCommitted = true;
        await Promise.all([publishing, expectOutput(step, () => terminal.run(step.script))]);
      } else if (step.file.startsWith('shop/')) {
        repository.set(step.file, step.text);
        isCommitted = false;
      } else
        terminal.save(
          step.file,
          step.text.replace('targetNamespace: shop', `targetNamespace: ${it.namespace}`),
        );
    }
    await it.eventuallyGone(deployments, 'web');
    await it.eventuallyGone(configMaps, 'foo');
    await it.eventuallyAll('no ReplicaSet is left', replicaSets, (all) => all.length === 0, 'app=web');
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
