import { configMaps } from '@trimtab/kube/resource.ts';
import { expect, test } from 'vitest';
import { openLocalEngine } from './local-engine.ts';

test('what somebody did on a local cluster is read from its audit log, and what they were refused', async () => {
  const engine = await openLocalEngine();
  try {
    const namespace = await engine.namespace();
    const log = engine.auditLog();
    const mark = await log.mark();
    const admin = await engine.connect();
    await admin.create(configMaps, { metadata: { namespace, name: 'foo' } });
    const jane = await engine.connect({ user: 'jane' });
    await expect(jane.get(configMaps, { namespace, name: 'foo' })).rejects.toMatchObject({ status: 403 });
    const entries = await log.since(mark);
    // Controllers also send requests in this namespace.
    const about = entries.filter((each) => each.namespace === namespace && each.name === 'foo');
    expect(about).toMatchObject([
      { user: 'kubernetes-admin', verb: 'create', resource: 'configmaps', name: 'foo', code: 201 },
      { user: 'jane', impersonatedBy: 'kubernetes-admin', verb: 'get', name: 'foo', code: 403 },
    ]);
  } finally {
    await engine.close();
  }
});

test('engines of one process share a cluster, and the last one ends it', async () => {
  const [first, second] = [await openLocalEngine(), await openLocalEngine()];
  const namespace = await first.namespace();
  await first.close();
  const admin = await second.connect();
  expect((await admin.get(configMaps, { namespace, name: 'kube-root-ca.crt' })).metadata.name).toBe(
    'kube-root-ca.crt',
  );
  await second.close();
  const third = await openLocalEngine();
  expect(third.kubeconfig).not.toBe(second.kubeconfig);
  await third.close();
});
