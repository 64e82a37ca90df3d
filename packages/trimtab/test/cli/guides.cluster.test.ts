import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, test } from 'vitest';
import { GuideTerminal } from '../support/guide-terminal.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { runGuide } from '../support/run-guide.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

/** Sections of guides whose blocks need no gateway, and the version of a config that is current after them. */
test.each([
  ['release-a-config.md', 'Link a config to its workload', 'bar-config'],
  ['versions-by-hand.md', 'With the command line', 'shop-ui'],
])(
  'the commands of %s, "%s", print what the guide shows',
  { timeout: 120_000 },
  async (guide, section, config) => {
    await using it = await ReleaseStory.start(engine);
    const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-guide-'));
    try {
      const kubeconfig = await engine.kubeconfigOf(undefined);
      const terminal = new GuideTerminal({ folder, kubectl: engine.kubectl, kubeconfig });
      await terminal.run(`kubectl config set-context --current --namespace=${it.namespace}`);
      await runGuide(guide, terminal, section);
      await it.isCurrent('1.0.0', `configmap-${config}`);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
);
