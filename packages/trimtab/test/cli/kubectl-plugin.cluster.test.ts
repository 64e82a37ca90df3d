import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { deployment } from '@trimtab/test-bed/objects/deployment.ts';
import { mountingConfigMap } from '@trimtab/test-bed/objects/pod-template.ts';
import { story } from '@trimtab/test-bed/story/story.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { applyCrd } from '../support/apply-crd.ts';
import { InstalledLinks } from './support/installed-links.ts';

const engine = await currentEngine();
let links: InstalledLinks;

beforeAll(async () => {
  links = await InstalledLinks.create();
  await applyCrd(await engine.connect());
});

afterAll(async () => {
  await links?.[Symbol.asyncDispose]();
  await engine.close();
});

const kubectl = (...args: string[]) => links.run(engine.kubectl, args, { KUBECONFIG: engine.kubeconfig });

test('kubectl finds the plugin, and the plugin names itself as it is typed', async () => {
  const { stdout } = await kubectl('plugin', 'list', '--name-only');
  expect(stdout.split('\n')).toContain('kubectl-trimtab');
  expect((await kubectl('trimtab', '--help')).stdout).toContain('Usage: kubectl trimtab COMMAND [flags]');
  expect((await kubectl('trimtab', 'pin', '--help')).stdout).toContain(
    'Usage: kubectl trimtab pin [flags] WORKLOAD',
  );
  const unknown = await kubectl('trimtab', 'pni');
  expect(unknown.stderr).toContain(
    "unknown command 'kubectl trimtab pni'. Did you mean `kubectl trimtab pin`?",
  );
  expect(unknown.code).toBe(2);
});

test('the plugin works in the cluster and the namespace of kubectl', async () => {
  const [given] = await story(engine);
  await given.objects(configMap('foo'), deployment('web', mountingConfigMap('foo', '/etc/foo')));
  const { stdout, code } = await kubectl('trimtab', 'manage', 'deployment/web', '-n', given.namespace);
  expect({ stdout, code }).toEqual({ stdout: 'deployment "web" managed\n', code: 0 });
  const { stdout: manage } = await kubectl(
    ...['get', 'deployment', 'web', '-n', given.namespace],
    ...['-o', 'jsonpath={.metadata.annotations.trimtab\\.dev/manage}'],
  );
  expect(manage).toBe('true');
});
