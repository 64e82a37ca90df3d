import { readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { namespaces, secrets } from '@trimtab/kube/resource.ts';
import { isAlreadyExists } from '@trimtab/kube/transport/errors.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, expect, test } from 'vitest';
import { systemNamespace } from '../../src/api/names.ts';
import { readTargets } from '../../src/controller/notifications/targets.ts';
import { cloudEvent } from '../../src/core/notification/cloud-event.ts';
import { type Outcome, outcomeNames } from '../../src/core/notification/outcome.ts';
import { parseSigningKeys, signatureHeaders } from '../../src/core/notification/signature.ts';
import { guideSteps } from '../support/guide-blocks.ts';
import { GuideTerminal } from '../support/guide-terminal.ts';

/** The blocks of docs/guides/notifications.md in order. */

const engine = await currentEngine();
afterAll(() => engine.close());

const page = readFileSync(
  path.resolve(import.meta.dirname, '../../../../docs/guides/notifications.md'),
  'utf8',
);
const outcome: Outcome = {
  ...{ id: '3dssnof4wt-1-rolled-back-iph4guu63c', outcome: 'rolled-back', time: '2026-01-01T12:00:25Z' },
  config: { kind: 'ConfigMap', namespace: 'shop', name: 'checkout' },
  ...{ rollout: 'configmap-checkout', version: '1.0.3', previous: '1.0.2', activation: '3dssnof4wt-1' },
  ...{ reason: 'CrashLoopBackOff', by: 'alice@example.com', durationSeconds: 25, workloads: 2 },
};

test('the guide shows the event that is sent, and each outcome', () => {
  const [, json = ''] = /^```json\n([\s\S]*?)^```$/m.exec(page) ?? [];
  expect(cloudEvent(outcome, 'prod-eu')).toEqual(JSON.parse(json));
  for (const name of outcomeNames) expect(page).toContain(`| \`${name}\` |`);
});

test('every block of the guide does what the guide says', async () => {
  const client = await engine.connect();
  const system = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } };
  await client.create(namespaces, system).catch((error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
  });
  const folder = await mkdtemp(path.join(tmpdir(), 'trimtab-guide-'));
  const body = JSON.stringify(cloudEvent(outcome, 'prod-eu'));
  const seconds = 1_767_268_825;
  writeFileSync(path.join(folder, 'body.json'), body);
  try {
    const terminal = new GuideTerminal({
      ...{ folder, kubectl: engine.kubectl, kubeconfig: await engine.kubeconfigOf(undefined) },
      env: { WEBHOOK_ID: outcome.id, WEBHOOK_TIMESTAMP: String(seconds) },
    });
    let last = '';
    for (const step of guideSteps('notifications.md')) {
      if ('file' in step) {
        terminal.save(step.file, step.text);
        continue;
      }
      const { code, stdout, stderr } = await terminal.run(step.script);
      expect(code, `${step.script}\n${stderr}`).toBe(0);
      last = stdout.trim();
    }
    expect(await readTargets(path.join(folder, 'notifications.yaml'))).toMatchObject({
      cluster: 'prod-eu',
      targets: [{ name: 'deploy-log' }, { name: 'team-chat', format: 'slack' }],
    });
    const keys = parseSigningKeys(readFileSync(path.join(folder, 'signing.key'), 'utf8')) ?? [];
    expect(`v1,${last}`).toBe(signatureHeaders(keys, outcome.id, seconds, body)['webhook-signature']);
  } finally {
    await client.delete(secrets, { namespace: systemNamespace, name: 'trimtab-targets' }).catch(() => {});
    await rm(folder, { recursive: true, force: true });
  }
});
