import { deployments, replicaSets } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { annotated, labelled } from '@trimtab/test-bed/objects/build.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { type Deployment, deployment, withReplicas } from '@trimtab/test-bed/objects/deployment.ts';
import {
  envFromConfigMap,
  envFromSecret,
  mountingConfigMap,
} from '@trimtab/test-bed/objects/pod-template.ts';
import { clusterRoleFor, role, roleBinding, serviceAccount } from '@trimtab/test-bed/objects/rights.ts';
import { type Secret, secret } from '@trimtab/test-bed/objects/secret.ts';
import { statefulSet } from '@trimtab/test-bed/objects/stateful-set.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { annotations } from '../../src/api/names.ts';
import { managed } from '../support/managed.ts';
import { ReleaseStory } from '../support/release-story.ts';
import { settled } from '../support/settled.ts';
import { runTrimtab } from './support/run-trimtab.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

const mountsFoo = mountingConfigMap('foo', '/etc/foo');

const ready: (object: Deployment) => void = ({ spec }) => {
  for (const container of spec.template.spec.containers)
    container.readinessProbe = { exec: { command: ['true'] } };
};

test('adopt shows what would be managed and replaced, and does it', async () => {
  await using it = await ReleaseStory.start(engine);
  const token: Secret = secret(
    'robot-token',
    {},
    annotated({ 'kubernetes.io/service-account.name': 'robot' }),
  );
  token.type = 'kubernetes.io/service-account-token';
  const optional = ({ spec }: Deployment) => {
    for (const container of spec.template.spec.containers)
      container.envFrom = [{ configMapRef: { name: 'extra', optional: true } }];
  };
  await it.given.objects(
    serviceAccount('robot'),
    configMap('foo', { color: 'blue' }),
    configMap('named', { a: '1' }, annotated({ [annotations.version]: 'spring' })),
    secret('key', { password: 'pa55' }),
    token,
    deployment('web', mountsFoo, envFromSecret('key'), ready, withReplicas(3)),
    deployment('api', optional, mountsFoo, envFromConfigMap('named'), ready, withReplicas(2)),
    deployment('tokens', envFromSecret('robot-token')),
    deployment('plain'),
    deployment('out', mountsFoo, annotated({ [annotations.manage]: 'false' })),
    deployment('some', mountsFoo, annotated({ [annotations.manage]: 'bar' })),
    deployment('in', envFromConfigMap('named'), managed),
    statefulSet(
      'db',
      envFromSecret('key'),
      labelled({ 'app.kubernetes.io/managed-by': 'Helm', 'argocd.argoproj.io/instance': 'shop' }),
      annotated({ 'meta.helm.sh/release-name': 'pg' }),
    ),
  );
  const { namespace } = it;
  await settled(it, 'spring', ['in'], 'configmap-named');
  const trimtab = (...args: string[]) => runTrimtab(engine, args, { namespace });

  const dry = await trimtab('adopt', '--dry-run');
  expect(dry.stdout).toBe(`WORKLOAD         CONFIGS                                       PODS   EFFECT
deployment/api   configmap/foo 1.0.0, configmap/named spring   2      rolling update
statefulset/db   secret/key 1.0.0                              1      rolling update
deployment/web   configmap/foo 1.0.0, secret/key 1.0.0         3      rolling update

Warnings:
  Deployment api: configmap/extra is not managed: it does not exist
  StatefulSet db: The workload has a single replica: it may be unavailable while the pod is replaced
  StatefulSet db: The pod template has no readiness probe in container app: a faulty version is detected only if it crashes
  StatefulSet db: Helm release pg installs the workload: add the annotation trimtab.dev/manage to the chart, too
  StatefulSet db: Argo CD application shop syncs the workload: add the annotation trimtab.dev/manage to its source, and exclude the references to configs with ignoreDifferences

Not adopted:
  Deployment out: It has opted out with trimtab.dev/manage: "false"
  Deployment some: Its annotation trimtab.dev/manage lists the configs to manage
  Deployment tokens: None of the configs that it references can be managed

3 workloads to adopt, with 2 configs that become a first version. 3 rolling updates, 6 pods replaced. 1 workload already managed.
deployment "api" managed (server dry run)
statefulset "db" managed (server dry run)
deployment "web" managed (server dry run)
`);
  expect(dry).toMatchObject({ stderr: '', code: 0 });
  const web = await it.object<Deployment>(deployments, 'web');
  expect(web.metadata.annotations?.[annotations.manage]).toBeUndefined();

  const json = await trimtab('adopt', '--dry-run', '-o', 'json');
  expect(JSON.parse(json.stdout)).toMatchObject({
    kind: 'AdoptionPlan',
    workloads: [{ name: 'api', rolls: true, pods: 2 }, { name: 'db' }, { name: 'web' }],
    skipped: [{ name: 'out' }, { name: 'some' }, { name: 'tokens' }],
  });
  expect((await trimtab('adopt', '--dry-run', '-o', 'name', '-l', 'app=web')).stdout).toBe('');
  expect(await trimtab('adopt')).toMatchObject({
    code: 2,
    stderr: 'error: without a terminal, adopt requires --yes or --dry-run\n',
  });

  const done = await trimtab('adopt', '--yes');
  expect(done.stdout).toContain(`deployment "api" managed
statefulset "db" managed
deployment "web" managed

Run \`trimtab status\` to follow the rollouts.
`);
  await settled(it, '1.0.0', ['web', 'api']);
  await settled(it, '1.0.0', ['web', 'db'], 'secret-key');
  await it.eventuallyAll(
    'web was updated once',
    replicaSets,
    (all) => all.filter(({ metadata }) => metadata.ownerReferences?.[0]?.name === 'web').length === 2,
  );
  const again = await trimtab('adopt', '--dry-run');
  expect(again.stdout).toContain('No workload to adopt. 4 workloads already managed.\n');
});

test('all namespaces, without those of the cluster itself', async () => {
  await using it = await ReleaseStory.start(engine);
  const app = labelled({ 'adopted-in': it.namespace });
  await it.given.objects(configMap('foo'), deployment('web', mountsFoo, app, ready));
  const kept = deployment('dns', mountsFoo, app, ready);
  kept.metadata = { ...kept.metadata, name: `dns-${it.namespace}`, namespace: 'kube-system' };
  kept.spec.replicas = 0;
  await it.client.create(deployments, kept);
  try {
    const args = ['adopt', '-A', '-l', `adopted-in=${it.namespace}`];
    const dry = await runTrimtab(engine, [...args, '--dry-run']);
    expect(
      dry.stdout.replaceAll(it.namespace, 'NS'),
    ).toBe(`NAMESPACE${' '.repeat(it.namespace.length - 6)}WORKLOAD         CONFIGS               PODS   EFFECT
NS   deployment/web   configmap/foo 1.0.0   1      rolling update

Warnings:
  NS: Deployment web: The workload has a single replica: it may be unavailable while the pod is replaced

1 workload to adopt, with 1 config that becomes a first version. One rolling update replaces 1 pod.
deployment "web" managed in namespace "NS" (server dry run)
`);
    const done = await runTrimtab(engine, [...args, '--yes']);
    expect(done.stdout).toContain(`deployment "web" managed in namespace "${it.namespace}"\n`);
    await settled(it, '1.0.0', ['web']);
  } finally {
    await it.client.delete(deployments, { namespace: 'kube-system', name: kept.metadata.name ?? '' });
  }
});

test('who may not list Secrets or patch workloads is told so, and the rest goes on', async () => {
  await using it = await ReleaseStory.start(engine);
  await it.given.objects(
    configMap('foo'),
    secret('key'),
    deployment('web', mountsFoo, envFromSecret('key'), ready, withReplicas(2)),
    { ...clusterRoleFor('view', 'viewer', { user: 'vera' }) },
    role('rollouts', ['list'], 'configrollouts.trimtab.dev'),
    { ...roleBinding('rollouts', { user: 'vera' }) },
  );
  const kubeconfig = await engine.kubeconfigOf({ user: 'vera' });
  const asVera = (...args: string[]) => runTrimtab(engine, args, { namespace: it.namespace, kubeconfig });
  const dry = await waitFor('the rights of vera are in effect', async () => {
    const result = await asVera('adopt', '--yes');
    return result.stdout.includes('web') && !result.stderr.includes('configrollouts')
      ? { met: result }
      : { seen: result.stderr };
  });
  expect(dry.stdout).toContain('configmap/foo 1.0.0, secret/key 1.0.0');
  expect(
    dry.stderr,
  ).toBe(`Warning: You may not list secrets: the plan assumes that all referenced Secrets exist and can have versions
Error from server (Forbidden): deployments.apps "web" is forbidden: User "vera" cannot patch resource "deployments" in API group "apps" in the namespace "${it.namespace}"
hint: this needs the verb "patch" on "deployments.apps" in namespace ${it.namespace}; ask your administrator to grant it
`);
  expect(dry.code).toBe(1);
});
