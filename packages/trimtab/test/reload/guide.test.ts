import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Engine } from '@trimtab/test-bed/engines/engine.ts';
import { findKubectl } from '@trimtab/test-bed/engines/find-kubectl.ts';
import { openLocalEngineWithNode } from '@trimtab/test-bed/engines/local-engine.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { type GuideScript, guideSteps } from '../support/guide-blocks.ts';
import { expectOutput } from '../support/guide-output.ts';
import { GuideTerminal } from '../support/guide-terminal.ts';
import { RealReload } from './support/real-reload.ts';

/** The blocks of this guide in order, on the local cluster with real agents. */
const guide = 'reload-in-a-cluster.md';

let engine: Engine;
let folder: string;
let terminal: GuideTerminal;

beforeAll(async () => {
  engine = await openLocalEngineWithNode({});
  folder = mkdtempSync(join(tmpdir(), 'trimtab-guide-'));
  terminal = new GuideTerminal({
    ...{ folder, kubectl: engine.kubectl, kubeconfig: await engine.kubeconfigOf(undefined) },
  });
});
afterAll(async () => {
  await engine?.close();
  rmSync(folder, { recursive: true, force: true });
});

/** The installation of the guide needs images. The scene runs the same programs for its namespace already. */
const installs = ['manifests --gateway --inject', 'controller.yaml'];

/** The gateway of the scene is a process and no Deployment. */
const ofGateway = 'kubectl -n trimtab-system scale deployment/trimtab-gateway';

function adapted(script: string): string {
  // npm would look at the installed packages first.
  const own = script.replaceAll('npm run --silent trimtab --', 'trimtab');
  return installs.some((part) => own.includes(part))
    ? own.replace('kubectl apply', 'kubectl apply --dry-run=server')
    : own;
}

async function runStep(real: RealReload, step: GuideScript): Promise<void> {
  const { script, where } = step;
  if (script.startsWith(ofGateway)) {
    await (script.includes('--replicas=0') ? real.gatewayStops() : real.gatewayStarts());
    return;
  }
  await expectOutput(step, () =>
    where === 'shell' ? terminal.run(adapted(script)) : terminal.runInContainer(script),
  );
}

describe.runIf(process.platform === 'linux' && findKubectl() !== undefined)('on the local cluster', () => {
  test('every block of the guide does what the guide says', { timeout: 120_000 }, async () => {
    await using real = await RealReload.open(engine);
    const { namespace } = real.it;
    await terminal.run(`kubectl config set-context --current --namespace=${namespace}`);
    // A part of the scene, which the guide does not show.
    await terminal.run('kubectl delete configmap/warm configrollout/configmap-warm');
    let inOtherTerminal: Promise<void> | undefined;
    for (const step of guideSteps(guide)) {
      if ('file' in step) terminal.save(step.file, step.text);
      else if (step.where === 'background') inOtherTerminal = runStep(real, step);
      else {
        await runStep(real, step);
        await inOtherTerminal;
        inOtherTerminal = undefined;
      }
    }
  });
});

test('the flags of the installation exist', async () => {
  const manifest = guideSteps(guide).find((step) => 'file' in step && step.file === 'controller.yaml');
  const [container] = parse((manifest as { text: string }).text).spec.template.spec.containers;
  const [, , program, ...more] = [...container.command, ...container.args] as string[];
  expect(program).toBe('controller');
  const { stdout } = await terminal.run('trimtab controller --help');
  for (const flag of more.filter((word) => word.startsWith('--')))
    expect(stdout).toMatch(new RegExp(`${flag}\\b`));
});
