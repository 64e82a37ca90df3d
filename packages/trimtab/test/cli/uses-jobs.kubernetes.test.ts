import { cronJobs, jobs } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { Given } from '@trimtab/test-bed/story/given.ts';
import { afterAll, expect, test } from 'vitest';
import { runTrimtab } from './support/run-trimtab.ts';
import { stableText } from './support/stable-text.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

// The local cluster has no Jobs.
test('uses names Jobs and CronJobs, which are never updated', async () => {
  const namespace = await engine.namespace();
  const client = await engine.connect();
  await new Given(client, namespace).object(configMap('foo', { color: 'blue' }));
  const container = { name: 'app', image: 'busybox', envFrom: [{ configMapRef: { name: 'foo' } }] };
  const spec = { suspend: true, template: { spec: { restartPolicy: 'Never', containers: [container] } } };
  const job = { apiVersion: 'batch/v1', kind: 'Job', metadata: { namespace, name: 'import' }, spec };
  const schedule = { schedule: '0 0 1 1 *', suspend: true, jobTemplate: { spec } };
  const metadata = { namespace, name: 'nightly' };
  await client.create(jobs, job);
  await client.create(cronJobs, {
    apiVersion: 'batch/v1',
    kind: 'CronJob',
    metadata,
    spec: schedule,
  } as never);
  const { stdout, stderr, code } = await runTrimtab(engine, ['uses', 'foo'], { namespace });
  const note = 'environment variables and subPath mounts change only in new pods';
  expect(stableText(stdout)).toBe(`\
NAME   THROUGH   MODE   MANAGED   VERSION   PODS   WHY
cronjob/nightly   envFrom   none   no   live   0   Trimtab never updates a CronJob; it reads the live config
job/import   envFrom   none   no   live   0   Trimtab never updates a Job; it reads the live config
cronjob/nightly: ${note}
job/import: ${note}
`);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
});
