import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type InjectedPod, injected } from '../../api/injected-pod.ts';
import { annotations, labels } from '../../api/names.ts';
import type { PodTemplate } from '../../api/pod-template.ts';
import { configKey } from '../references/config-key.ts';
import { grantedKeys, unionOfKeys } from '../references/granted-keys.ts';
import { namedKeys } from '../references/named-keys.ts';
import { type ConfigKind, findReferences } from '../references/references.ts';
import { eject } from './eject.ts';
import { type InjectOptions, inject } from './inject.ts';

/** foo and bar are managed. A pod may name a version of foo, too. */
const options: InjectOptions = {
  agentImage: 'example.test/agent:1',
  gatewayUrl: 'https://trimtab-gateway.trimtab-system.svc',
  envFiles: false,
  podIpFamily: 'IPv4',
  token: 'a$(b)$$c',
  versions: (_, name) => {
    const config = /^(foo|bar)(-v1)?$/.exec(name)?.[1];
    return config === undefined ? undefined : { config, version: '1.0.0', object: `${config}-v1` };
  },
};

const optionally = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
/** Empty lists and maps are absent, null or empty, as in files that people write. */
const listOf = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof(
    { weight: 4, arbitrary: fc.array(value, { minLength: 1, maxLength: 3 }) },
    fc.constantFrom(undefined, null, []),
  );
const configName = fc.constantFrom('foo', 'foo-v1', 'bar', 'other', '');
const mode = fc.constantFrom(0o400, 0o440, 0o600, 0o644, 0o755);
const item = fc.record(
  { key: fc.constantFrom('a', 'b.conf', '__proto__'), path: fc.constantFrom('a', 'x/$(y)', '$$z'), mode },
  { requiredKeys: ['key', 'path'] },
);
const partial = { requiredKeys: [] };
const source = (field: string) =>
  fc.record(
    {
      [field]: configName,
      items: listOf(item),
      optional: fc.boolean(),
      defaultMode: mode,
      future: fc.constant(1),
    },
    partial,
  );
const projectedSource = fc.oneof(
  fc.record({ configMap: source('name') }),
  fc.record({ secret: source('name') }),
  fc.record({ serviceAccountToken: fc.record({ path: fc.constant('token'), future: fc.integer() }) }),
  fc.record({ downwardAPI: fc.record({ items: listOf(fc.record({ path: fc.constant('name'), mode })) }) }),
);
const volumeSource = fc.oneof(
  fc.record({ configMap: source('name') }),
  fc.record({ secret: source('secretName') }),
  fc.record({ projected: fc.record({ sources: listOf(projectedSource), defaultMode: mode }, partial) }),
  fc.record({ emptyDir: fc.constant({}) }),
);
const volumes = listOf(volumeSource).map((list) =>
  list?.map((each, index) => ({ name: index === 0 ? 'v'.repeat(63) : `v${index}`, ...each })),
);
const keyRef = fc.record({ name: configName, key: fc.constant('a'), optional: fc.boolean() }, partial);
const env = fc.record(
  {
    name: fc.constantFrom('A', ...Object.values(injected.applicationEnv)),
    value: fc.constant('x'),
    valueFrom: fc.oneof(fc.record({ configMapKeyRef: keyRef }), fc.record({ secretKeyRef: keyRef })),
  },
  { requiredKeys: ['name'] },
);
const envFrom = fc.oneof(fc.record({ configMapRef: keyRef }), fc.record({ secretRef: keyRef }));
const mounts = listOf(
  fc.record(
    {
      name: fc.constantFrom('v'.repeat(63), 'v1', 'v2'),
      readOnly: fc.constantFrom(true, false, null),
      subPath: fc.constant('a'),
    },
    { requiredKeys: ['name'] },
  ),
).map((list) => list?.map((each, index) => ({ ...each, mountPath: `/m${index}` })));
const context = fc.record(
  { runAsUser: fc.constantFrom(0, 1000, 2000), runAsNonRoot: fc.boolean(), fsGroup: fc.constant(1) },
  partial,
);
const container = fc.record(
  {
    env: listOf(env),
    envFrom: listOf(envFrom),
    volumeMounts: mounts,
    securityContext: context,
    future: fc.constant({ field: [] }),
  },
  partial,
);
const containers = (prefix: string) =>
  listOf(container).map((list) => list?.map((each, index) => ({ name: `${prefix}${index}`, ...each })));
const reload = fc.constantFrom('pull', 'signal:HUP', 'http:http://localhost/$(x)', undefined);
const pods = fc
  .record(
    {
      spec: fc.record(
        {
          volumes,
          initContainers: containers('init-'),
          containers: containers('app-'),
          ephemeralContainers: containers('debug-'),
          securityContext: context,
          shareProcessNamespace: fc.constantFrom(true, null),
          hostPID: fc.boolean(),
          future: fc.constant('field'),
        },
        partial,
      ),
      labels: optionally(fc.dictionary(fc.constantFrom('app', labels.injected), fc.string())),
      workload: optionally(fc.constant('Deployment/mine')),
      tokenEnv: fc.boolean(),
      reload,
    },
    { requiredKeys: ['spec', 'tokenEnv'] },
  )
  .map(({ spec, labels: own, workload, tokenEnv, reload: how }) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'p',
      annotations: {
        [annotations.restart]: 'false',
        ...(how !== undefined && { [annotations.reload]: how }),
        ...(workload !== undefined && { [annotations.workload]: workload }),
        ...(tokenEnv && { [annotations.tokenEnv]: 'true' }),
      },
      ...(own && { labels: own }),
    },
    spec,
    status: { phase: 'Pending' },
  }))
  .map((pod) => JSON.parse(JSON.stringify(pod))) as fc.Arbitrary<unknown> as fc.Arbitrary<
  PodTemplate & { spec: object }
>;

function injectedOf<T extends PodTemplate>(pod: T, more: Partial<InjectOptions> = {}): T {
  const result = inject(pod, { ...options, ...more });
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.pod;
}

function ejectedOf<T extends PodTemplate>(pod: T): T {
  const result = eject(pod);
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  return result.pod;
}

/** The text shows the order of fields and lists, too. */
const textOf = (value: unknown) => JSON.stringify(value, null, 1);
const hasAgent = ({ spec }: PodTemplate) => spec?.initContainers?.[0]?.name === injected.container;

test('most generated pods get the agent', () => {
  expect(fc.sample(pods, 200).filter((pod) => hasAgent(injectedOf(pod))).length).toBeGreaterThan(100);
});

test('ejecting an injected pod restores the original to the letter', () => {
  fc.assert(
    fc.property(pods, optionally(fc.constant('Deployment/web')), (pod, workload) => {
      const more = workload === undefined ? {} : { workload };
      expect(textOf(ejectedOf(injectedOf(pod, more)))).toBe(textOf(pod));
    }),
    { numRuns: 500 },
  );
});

test('injecting twice is the same as injecting once', () => {
  fc.assert(
    fc.property(pods, fc.boolean(), (pod, envFiles) => {
      const once = injectedOf(pod, { envFiles });
      expect(textOf(injectedOf(once, { envFiles }))).toBe(textOf(once));
    }),
    { numRuns: 300 },
  );
});

test('the input is not modified, and neither are ephemeral containers and unknown fields', () => {
  fc.assert(
    fc.property(pods, (pod) => {
      const before = textOf(pod);
      const after = injectedOf(pod) as typeof pod & { spec: Record<string, unknown> };
      expect(textOf(pod)).toBe(before);
      const { ephemeralContainers, future } = pod.spec as Record<string, unknown>;
      expect(after).toMatchObject({ apiVersion: 'v1', kind: 'Pod', status: { phase: 'Pending' } });
      expect(textOf(after.spec.ephemeralContainers)).toBe(textOf(ephemeralContainers));
      expect(after.spec.future).toBe(future);
      ejectedOf(after);
      expect(textOf(injectedOf(pod))).toBe(textOf(after));
    }),
    { numRuns: 200 },
  );
});

test('what another injector adds afterwards stays, and its containers get env and mount', () => {
  fc.assert(
    fc.property(pods, fc.constantFrom('first', 'last'), (pod, place) => {
      const once = injectedOf(pod);
      fc.pre(hasAgent(once));
      const mesh = { name: 'mesh', volumeMounts: [{ name: 'certs', mountPath: '/certs' }] };
      const certs = { name: 'certs', emptyDir: {} };
      const changed = structuredClone(once);
      const put = <T>(list: T[] | null | undefined, added: T) =>
        place === 'first' ? [added, ...(list ?? [])] : [...(list ?? []), added];
      changed.spec.containers = put(changed.spec.containers, mesh);
      changed.spec.volumes = put(changed.spec.volumes, certs);
      changed.spec.initContainers = put(changed.spec.initContainers, { name: 'mesh-init' });
      for (const each of changed.spec.containers) each.env = put(each.env, { name: 'MESH', value: '1' });

      const twice = injectedOf(changed);
      expect(twice.spec.initContainers?.[0]?.name).toBe(injected.container);
      const found = twice.spec.containers?.find(({ name }) => name === 'mesh');
      expect(found?.env?.map(({ name }) => name)).toContain(injected.applicationEnv.endpoint);
      expect(found?.volumeMounts).toContainEqual(mesh.volumeMounts[0]);
      expect(found?.volumeMounts?.map(({ name }) => name)).toContain(injected.volumes.public);
      expect(injectedOf(twice)).toEqual(twice);

      const left = ejectedOf(twice);
      expect(left.spec.volumes).toContainEqual(certs);
      expect(
        left.spec.containers?.map(({ env: all }) => all?.filter(({ name }) => name === 'MESH').length),
      ).toEqual(left.spec.containers?.map(() => 1));
    }),
    { numRuns: 200 },
  );
});

test('no container but the agent mounts its volumes, and all of its mounts exist', () => {
  fc.assert(
    fc.property(pods, (pod) => {
      const { spec } = injectedOf(pod);
      const own = new Set(
        (pod.spec as { volumes?: { name: string }[] | null }).volumes?.map(({ name }) => name),
      );
      const [agent, ...init] = spec.initContainers ?? [];
      fc.pre(agent?.name === injected.container);
      const names = (spec.volumes ?? []).map(({ name }) => name);
      expect(new Set(names).size).toBe(names.length);
      for (const { name } of agent?.volumeMounts ?? []) expect(names).toContain(name);
      for (const { volumeMounts } of [...init, ...(spec.containers ?? [])])
        for (const { name } of volumeMounts ?? [])
          if (!own.has(name) && names.includes(name)) expect(name).toBe(injected.volumes.public);
    }),
    { numRuns: 200 },
  );
});

test('the spec of an injected pod grants the keys that its agent needs, and no others than the original spec names', () => {
  const namesOf = (config: string) => [config, `${config}-v1`];
  const managedKeys = ({ spec }: PodTemplate, kind: ConfigKind, config: string) => {
    const granted = grantedKeys(spec ?? {});
    return unionOfKeys(namesOf(config).map((name) => granted.get(configKey(kind, name)) ?? []));
  };
  // The agent mounts also what no container of the original mounts.
  const keysNamed = (pod: PodTemplate, kind: ConfigKind, config: string) =>
    unionOfKeys(
      findReferences(pod)
        .filter((each) => each.kind === kind && namesOf(config).includes(each.name))
        .map(({ pointer }) => namedKeys(pod, pointer) ?? 'all'),
    );
  fc.assert(
    fc.property(pods, (pod) => {
      const after = injectedOf(pod);
      const [agent] = after.spec.initContainers ?? [];
      fc.pre(hasAgent(after));
      const described = agent?.env?.find(({ name }) => name === injected.env.pod)?.value ?? '';
      for (const { kind, name, keys } of (JSON.parse(described) as InjectedPod).configs) {
        const granted = managedKeys(after, kind, name);
        expect(granted).toEqual(keysNamed(pod, kind, name));
        expect(unionOfKeys([granted, keys ?? 'all'])).toEqual(granted);
      }
    }),
    { numRuns: 300 },
  );
});
