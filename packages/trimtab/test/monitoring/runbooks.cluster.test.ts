import { copyFileSync, globSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap, withData } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { afterAll, expect, test } from 'vitest';
import { guideSteps } from '../support/guide-blocks.ts';
import { GuideTerminal } from '../support/guide-terminal.ts';
import { managed } from '../support/managed.ts';
import { obedientApp } from '../support/obedient-app.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runningTheApp, SimulatedApp } from '../support/simulated-app.ts';
import { hasProgram } from './support/has-program.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const root = path.resolve(import.meta.dirname, '../../../..');
const runbooks = globSync('docs/runbooks/*.md', { cwd: root });

const succeeds = { codes: [0], output: /^/ };
/** Commands that may end with another code in the state of the story, and what they print then. */
const outcomes = [
  // As diff does: 1 means that the versions differ.
  { of: 'trimtab diff', codes: [1], output: /^\+red$/m },
  // The retry of another page may have ended by now.
  { of: 'trimtab abort', codes: [0, 1], output: /checkout/ },
];

/** Runs the commands of a page in the namespace of the story, which the pages call `shop`. */
async function runPage(page: string, terminal: GuideTerminal, namespace: string): Promise<void> {
  for (const step of guideSteps(page)) {
    if ('file' in step) terminal.save(step.file, step.text);
    else {
      const script = step.script.replaceAll('--namespace shop', `--namespace ${namespace}`);
      const { code, stdout, stderr } = await terminal.run(script);
      const { codes, output } = outcomes.find(({ of }) => script.startsWith(of)) ?? succeeds;
      expect(code, `${page}: ${script}\n${stdout}${stderr}`).toBeOneOf(codes);
      expect(stdout + stderr).toMatch(output);
    }
  }
}

test('the commands of each runbook and of the guide to monitoring work', { timeout: 120_000 }, async () => {
  await using it = await ReleaseStory.start(engine);
  await using _ = await SimulatedApp.start(it.client, it.namespace, obedientApp);
  await it.shortBake(['checkout']);
  const web = deployment('web', mountingConfigMap('checkout', '/etc/checkout'), managed, runningTheApp);
  await it.given.objects(configMap('checkout', { color: 'blue' }), web);
  await settled(it, '1.0.0', ['web'], 'configmap-checkout');
  await it.when.edited(configMaps, 'checkout', withData({ color: 'red', web: 'crash-loop' }));
  await it.rolloutIs('1.0.1 is rolled back', ({ phase }) => phase === 'Failed', 'configmap-checkout');
  const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-runbooks-'));
  try {
    const kubeconfig = await engine.kubeconfigOf(undefined);
    const terminal = new GuideTerminal({ folder, kubectl: engine.kubectl, kubeconfig });
    copyFileSync(path.join(root, 'deploy/monitoring/rules.yaml'), path.join(folder, 'rules.yaml'));
    expect(runbooks.length).toBeGreaterThan(5);
    for (const runbook of runbooks) await runPage(path.join(root, runbook), terminal, it.namespace);
    if (hasProgram('promtool')) await runPage('monitoring.md', terminal, it.namespace);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
