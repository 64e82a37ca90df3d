import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, test } from 'vitest';
import { GuideTerminal } from '../support/guide-terminal.ts';
import { installedStory } from '../support/installed-story.ts';
import { runGuide } from '../support/run-guide.ts';
import { SimulatedApp } from '../support/simulated-app.ts';

/** The blocks of docs/guides/kustomize.md in order. */

const engine = await currentEngine();
afterAll(() => engine.close());

test('every block of the guide does what the guide says', { timeout: 300_000 }, async () => {
  await using it = await installedStory(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, ({ color }) =>
    color === 'red' ? { crashes: 'no such color', exitCode: 1 } : 'works',
  );
  const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-guide-'));
  try {
    const kubeconfig = await engine.kubeconfigOf(undefined);
    const terminal = new GuideTerminal({ folder, kubectl: engine.kubectl, kubeconfig });
    await terminal.run(`kubectl config set-context --current --namespace=${it.namespace}`);
    // The story has released a config of its own to find out that the webhook answers.
    await terminal.run('kubectl delete configmap/warm configrollout/configmap-warm');
    await runGuide('kustomize.md', terminal);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
