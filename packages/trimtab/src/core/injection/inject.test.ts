import { describe, expect, test } from 'vitest';
import { type InjectedPod, injected } from '../../api/injected-pod.ts';
import { annotations, labels } from '../../api/names.ts';
import type { Container, PodSpec, PodTemplate, Volume } from '../../api/pod-template.ts';
import { type InjectOptions, inject } from './inject.ts';

/** foo and bar are managed. */
const options: InjectOptions = {
  agentImage: 'example.test/agent:1',
  gatewayUrl: 'https://gateway.test',
  envFiles: true,
  podIpFamily: 'IPv4',
  versions: (_, name) => {
    const config = /^(foo|bar)(-v1)?$/.exec(name)?.[1];
    return config === undefined ? undefined : { config, version: '1.0.0', object: `${config}-v1` };
  },
};

interface Shape extends PodSpec {
  reload?: string;
  annotations?: Record<string, string>;
}

function pod({ reload = 'pull', annotations: more, ...spec }: Shape): PodTemplate & { spec: PodSpec } {
  const own = { [annotations.restart]: 'false', [annotations.reload]: reload, ...more };
  const containers = spec.containers ?? [{ name: 'app', volumeMounts: [mount('config')] }];
  const volumes = spec.volumes ?? [{ name: 'config', configMap: { name: 'foo' } }];
  return { metadata: { name: 'p', annotations: own }, spec: { ...spec, containers, volumes } };
}

const mount = (name: string) => ({ name, mountPath: `/etc/${name}` });

function injectedPod(shape: Shape = {}, more: Partial<InjectOptions> = {}) {
  const result = inject(pod(shape), { ...options, ...more });
  if ('problems' in result) throw new Error(result.problems.join('\n'));
  const { spec } = result.pod;
  const agent = spec.initContainers?.[0] as Container & Record<string, unknown>;
  const env = Object.fromEntries((agent.env ?? []).map(({ name, value }) => [name, value]));
  return {
    ...result,
    ...{ spec, agent, env },
    description: JSON.parse(env[injected.env.pod] ?? 'null') as InjectedPod,
    volume: (name: string) => spec.volumes?.find((volume) => volume.name === name),
    container: (name: string) =>
      [...(spec.initContainers ?? []), ...(spec.containers ?? [])].find((each) => each.name === name),
  };
}

function problems(shape: Shape): string[] {
  const result = inject(pod(shape), options);
  return 'problems' in result ? result.problems : [];
}

describe('the agent', () => {
  test('is the first init container, and a sidecar that passes the restricted standard', () => {
    const { spec, agent } = injectedPod({ initContainers: [{ name: 'init' }] });
    expect(spec.initContainers?.map(({ name }) => name)).toEqual(['trimtab-agent', 'init']);
    expect(agent).toMatchObject({
      image: 'example.test/agent:1',
      restartPolicy: 'Always',
      startupProbe: { httpGet: { path: '/readyz', port: 9003 }, periodSeconds: 1 },
      livenessProbe: { httpGet: { path: '/livez', port: 9003 } },
      resources: { requests: { cpu: '5m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    });
    expect(agent).not.toHaveProperty('readinessProbe');
    expect(agent).not.toHaveProperty('ports');
    expect(agent.securityContext).toEqual({
      runAsUser: 65_532,
      runAsNonRoot: true,
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
      seccompProfile: { type: 'RuntimeDefault' },
    });
  });

  test('gets its work, the gateway and the address of the pod', () => {
    const { agent, env } = injectedPod({}, { gatewayCa: 'PEM' });
    expect(env).toMatchObject({
      TRIMTAB_GATEWAY: 'https://gateway.test',
      TRIMTAB_GATEWAY_CA: 'PEM',
      TRIMTAB_AGENT_HEALTH_PORT: '9003',
      BUN_GC_TIMER_DISABLE: '1',
    });
    expect(agent.env).toContainEqual({
      name: 'POD_IP',
      valueFrom: { fieldRef: { fieldPath: 'status.podIP' } },
    });
    expect(env).not.toHaveProperty('MY_CONFIG_TOKEN');
  });

  test('has what the installation says', () => {
    const resources = { requests: { cpu: '1' } };
    const { agent } = injectedPod(
      {},
      { resources, imagePullPolicy: 'Never', agentCommand: ['/agent', '--v=4'], workload: 'Deployment/web' },
    );
    expect(agent).toMatchObject({ resources, imagePullPolicy: 'Never', command: ['/agent', '--v=4'] });
  });

  test('mounts its identity and the version at birth read-only', () => {
    const { agent, volume } = injectedPod();
    expect(agent.volumeMounts).toEqual([
      { name: 'trimtab-identity', mountPath: '/var/run/trimtab/identity', readOnly: true },
      { name: 'trimtab-private', mountPath: '/var/run/trimtab/private' },
      { name: 'trimtab-public', mountPath: '/var/run/trimtab/public' },
      { name: 'trimtab-birth-0', mountPath: '/var/run/trimtab/birth/0', readOnly: true },
      { name: 'config', mountPath: '/var/run/trimtab/volumes/config' },
    ]);
    expect(volume('trimtab-identity')?.projected?.sources).toEqual([
      { serviceAccountToken: { path: 'token', audience: 'trimtab.dev', expirationSeconds: 3600 } },
    ]);
    expect(volume('trimtab-private')?.emptyDir).toEqual({ medium: 'Memory', sizeLimit: '5Mi' });
    expect(volume('trimtab-birth-0')?.configMap).toEqual({ name: 'foo-v1', defaultMode: 0o444 });
  });

  test('declares its ports on the network of the node', () => {
    const ports = [9001, 9003].map((port) => ({ containerPort: port, hostPort: port, protocol: 'TCP' }));
    expect(injectedPod({ hostNetwork: true }).agent.ports).toEqual(ports);
  });

  test('uses a health port that nothing else uses', () => {
    const containers = [{ name: 'app', ports: [{ containerPort: 9003 }], volumeMounts: [mount('config')] }];
    const { agent } = injectedPod({ containers, annotations: { [annotations.configPort]: '9004' } });
    expect(agent).toMatchObject({ livenessProbe: { httpGet: { port: 9005 } } });
  });
});

describe('signals', () => {
  const security = (shape: Shape) => injectedPod({ reload: 'signal:HUP', ...shape }).agent.securityContext;

  test('share the process namespace; other ways do not', () => {
    expect(injectedPod({ reload: 'signal:HUP' }).spec.shareProcessNamespace).toBe(true);
    expect(injectedPod({ reload: 'signal:HUP', hostPID: true }).spec).not.toHaveProperty(
      'shareProcessNamespace',
    );
    expect(injectedPod().spec).not.toHaveProperty('shareProcessNamespace');
  });

  test('without a known user, the agent is root with CAP_KILL', () => {
    expect(security({})).toMatchObject({
      runAsUser: 0,
      runAsNonRoot: false,
      allowPrivilegeEscalation: false,
      capabilities: { drop: ['ALL'], add: ['KILL'] },
    });
  });

  test('with a known user, the agent has it', () => {
    expect(security({ securityContext: { runAsUser: 1000, runAsNonRoot: true } })).toMatchObject({
      runAsUser: 1000,
      runAsNonRoot: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  test('a pod that refuses to share its process namespace is refused, with another way', () => {
    expect(problems({ reload: 'signal:HUP', shareProcessNamespace: false })).toEqual([
      expect.stringContaining('annotation trimtab.dev/reload to another way, such as "pull"'),
    ]);
    expect(problems({ shareProcessNamespace: false })).toEqual([]);
  });
});

describe('volumes', () => {
  test('keep their names and mounts, which become read-only', () => {
    const { volume, container, description } = injectedPod();
    expect(volume('config')).toEqual({ name: 'config', emptyDir: {} });
    expect(container('app')?.volumeMounts?.[0]).toEqual({ ...mount('config'), readOnly: true });
    expect(description.volumes).toEqual([
      { name: 'config', path: '/var/run/trimtab/volumes/config', sources: [{ config: 0 }], fileMode: 0o644 },
    ]);
    expect(description.configs).toEqual([
      {
        kind: 'ConfigMap',
        name: 'foo',
        version: '1.0.0',
        object: 'foo-v1',
        birthPath: '/var/run/trimtab/birth/0',
      },
    ]);
  });

  test('with Secrets are in memory, with the modes of their items', () => {
    const items = [{ key: 'tls.key', path: 'tls/key', mode: 0o400 }];
    const secret = { secretName: 'bar', items, defaultMode: 0o440, optional: true };
    const { volume, description } = injectedPod({
      volumes: [{ name: 'config', secret }],
      securityContext: { fsGroup: 7 },
    });
    expect(volume('config')).toEqual({ name: 'config', emptyDir: { medium: 'Memory' } });
    expect(description.volumes[0]).toMatchObject({
      sources: [{ config: 0, items: [{ key: 'tls.key', path: 'tls/key', mode: 0o440 }], optional: true }],
      fileMode: 0o440,
    });
    expect(description.configs[0]).toMatchObject({ kind: 'Secret', keys: ['tls.key'] });
    expect(volume('trimtab-birth-0')?.secret).toEqual({
      secretName: 'bar-v1',
      items: [{ key: 'tls.key', path: 'tls.key' }],
      optional: true,
      defaultMode: 0o444,
    });
  });

  test('of the user of the agent are for the owner only', () => {
    const { description } = injectedPod({
      volumes: [{ name: 'config', secret: { secretName: 'bar', defaultMode: 0o640 } }],
      securityContext: { fsGroup: 7, runAsUser: 999 },
    });
    expect(description.volumes[0]?.fileMode).toBe(0o600);
  });

  test('that are not managed stay as they are', () => {
    const other: Volume = { name: 'other', configMap: { name: 'other' } };
    const { volume, agent } = injectedPod({
      volumes: [other, { name: 'config', configMap: { name: 'foo' } }],
    });
    expect(volume('other')).toEqual(other);
    expect(agent.volumeMounts?.map(({ name }) => name)).not.toContain('other');
  });

  test('of projected sources keep the sources that are not managed, in their order', () => {
    const token = { serviceAccountToken: { path: 'token' } };
    const field = { downwardAPI: { items: [{ path: 'name', mode: 0o400, fieldRef: { fieldPath: 'x' } }] } };
    const sources = [token, { configMap: { name: 'foo' } }, field, { secret: { name: 'other' } }];
    const { volume, description, agent } = injectedPod({
      volumes: [{ name: 'config', projected: { sources, defaultMode: 0o444 } }],
      securityContext: { fsGroup: 7 },
    });
    expect(description.volumes[0]?.sources).toEqual([
      { keptPath: '/var/run/trimtab/kept/0', modes: { token: 0o640 } },
      { config: 0 },
      { keptPath: '/var/run/trimtab/kept/1', modes: { name: 0o440 } },
    ]);
    expect(volume('trimtab-kept-0')?.projected).toEqual({ sources: [token], defaultMode: 0o444 });
    expect(volume('trimtab-kept-1')?.projected?.sources).toEqual([
      { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'x' } }] } },
      { secret: { name: 'other' } },
    ]);
    expect(agent.volumeMounts).toContainEqual({
      name: 'trimtab-kept-1',
      mountPath: '/var/run/trimtab/kept/1',
      readOnly: true,
    });
  });

  test('at birth have required and optional keys as two sources', () => {
    const env = [true, false].map((optional) => ({
      name: `E${optional}`,
      valueFrom: { configMapKeyRef: { name: 'foo', key: `${optional}`, optional } },
    }));
    const { volume, description } = injectedPod({ volumes: [], containers: [{ name: 'app', env }] });
    expect(volume('trimtab-birth-0')?.projected?.sources).toEqual([
      { configMap: { name: 'foo-v1', items: [{ key: 'false', path: 'false' }] } },
      { configMap: { name: 'foo-v1', items: [{ key: 'true', path: 'true' }], optional: true } },
    ]);
    expect(description.configs[0]?.keys).toEqual(['true', 'false']);
  });
});

describe('environment', () => {
  const names = (container: Container | undefined) => container?.env?.map(({ name }) => name);
  const ours = [
    'TRIMTAB_POD_IP',
    'MY_CONFIG_ENDPOINT',
    'MY_CONFIG_TOKEN_FILE',
    'MY_CONFIG_CA',
    'MY_CONFIG_TOKEN',
  ];

  test('of each container has the endpoint, before its own variables', () => {
    const env = [{ name: 'MINE', value: '$(MY_CONFIG_ENDPOINT)' }];
    const { container } = injectedPod({
      initContainers: [{ name: 'init' }],
      containers: [{ name: 'app', env, volumeMounts: [mount('config')] }],
    });
    expect(names(container('app'))).toEqual([...ours, 'MINE']);
    expect(names(container('init'))).toEqual(ours);
    expect(container('init')?.env).toEqual([
      { name: 'TRIMTAB_POD_IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
      { name: 'MY_CONFIG_ENDPOINT', value: 'https://$(TRIMTAB_POD_IP):9001/config' },
      { name: 'MY_CONFIG_TOKEN_FILE', value: '/var/run/trimtab/public/token' },
      { name: 'MY_CONFIG_CA', value: '/var/run/trimtab/public/ca.crt' },
      {
        name: 'MY_CONFIG_TOKEN',
        valueFrom: {
          fileKeyRef: { volumeName: 'trimtab-public', path: 'token.env', key: 'MY_CONFIG_TOKEN' },
        },
      },
    ]);
    expect(container('init')?.volumeMounts).toEqual([
      { name: 'trimtab-public', mountPath: '/var/run/trimtab/public', readOnly: true },
    ]);
  });

  test('has brackets around an IPv6 address, and the port of the annotation', () => {
    const shape = { annotations: { [annotations.configPort]: '9002' } };
    const { container, description } = injectedPod(shape, { podIpFamily: 'IPv6' });
    expect(container('app')?.env?.[1]?.value).toBe('https://[$(TRIMTAB_POD_IP)]:9002/config');
    expect(description.port).toBe(9002);
  });

  test('has no variable that the container sets itself', () => {
    const env = [{ name: 'MY_CONFIG_CA', value: 'mine' }];
    const { container } = injectedPod({
      containers: [{ name: 'app', env, volumeMounts: [mount('config')] }],
    });
    expect(names(container('app'))).toEqual([
      ...ours.filter((name) => name !== 'MY_CONFIG_CA'),
      'MY_CONFIG_CA',
    ]);
  });

  test('has the token on clusters without env files only if the user wants it', () => {
    const older = { envFiles: false, token: 's$cret' };
    expect(names(injectedPod({}, older).container('app'))).not.toContain('MY_CONFIG_TOKEN');
    const wanted = { annotations: { [annotations.tokenEnv]: 'true' } };
    const { container, env } = injectedPod(wanted, older);
    expect(container('app')?.env?.[4]).toEqual({ name: 'MY_CONFIG_TOKEN', value: 's$$cret' });
    expect(env['MY_CONFIG_TOKEN']).toBe('s$$cret');
    expect(injectedPod(wanted, { envFiles: false }).warnings).toEqual([
      expect.stringContaining('MY_CONFIG_TOKEN is not set'),
    ]);
  });

  test('from managed configs comes from the version at birth, and its containers are named', () => {
    const env = [{ name: 'A', valueFrom: { secretKeyRef: { name: 'bar', key: 'a' } } }];
    const envFrom = [{ configMapRef: { name: 'foo' } }, { configMapRef: { name: 'other' } }];
    const { container, environment, description } = injectedPod({
      initContainers: [{ name: 'init', envFrom: [{ secretRef: { name: 'other' } }] }],
      containers: [{ name: 'app', env, envFrom }],
    });
    expect(container('app')?.env?.at(-1)?.valueFrom).toEqual({ secretKeyRef: { name: 'bar-v1', key: 'a' } });
    expect(container('app')?.envFrom).toEqual([
      { configMapRef: { name: 'foo-v1' } },
      { configMapRef: { name: 'other' } },
    ]);
    expect(environment).toEqual(['app']);
    expect(description.configs.map(({ name, keys }) => [name, keys])).toEqual([
      ['foo', undefined],
      ['bar', ['a']],
    ]);
  });
});

describe('telling', () => {
  const containers = [
    { name: 'app', volumeMounts: [mount('config')] },
    { name: 'proxy', envFrom: [{ configMapRef: { name: 'foo' } }] },
    { name: 'other' },
  ];
  const initContainers = [{ name: 'init', volumeMounts: [mount('config')] }];

  test('concerns the containers that use a managed config and keep running', () => {
    const { description } = injectedPod({ reload: 'signal:HUP', initContainers, containers });
    const action = { by: 'signal', signal: 'SIGHUP' };
    expect(description.reload).toEqual([
      { container: 'app', action },
      { container: 'proxy', action },
    ]);
  });

  test('per container warns about those that are left out', () => {
    const verify = { [annotations.verify]: 'other=http:http://localhost/healthz' };
    const { description, warnings } = injectedPod({
      reload: 'app=signal:HUP',
      containers,
      annotations: verify,
    });
    expect(description.reload).toEqual([
      { container: 'app', action: { by: 'signal', signal: 'SIGHUP' } },
      { container: 'proxy', action: { by: 'pull' } },
    ]);
    expect(description.verify).toEqual([
      { container: 'other', method: 'GET', url: 'http://localhost/healthz' },
    ]);
    expect(warnings).toEqual([expect.stringContaining('add "proxy=signal:SIGUSR1"')]);
  });

  test('does not concern an init container that ends', () => {
    expect(problems({ reload: 'init=pull', initContainers, containers })).toEqual([
      expect.stringContaining('must be one of "app", "proxy", "other"'),
    ]);
  });
});

describe('the pod', () => {
  test('has a label, and the annotation of its workload', () => {
    const result = inject(pod({}), { ...options, workload: 'Deployment/web' });
    expect('pod' in result && result.pod.metadata).toMatchObject({
      labels: { [labels.injected]: 'true' },
      annotations: { [annotations.workload]: 'Deployment/web' },
    });
  });

  test('is returned as it is without a managed config, with a warning', () => {
    const its = pod({ volumes: [{ name: 'config', configMap: { name: 'other' } }] });
    const result = inject(its, options);
    expect(result).toEqual({
      pod: its,
      warnings: ['The pod references no managed config, so the agent is not added'],
      environment: [],
    });
    expect('pod' in result && result.pod).toBe(its);
  });

  test('is the original once its annotation is gone', () => {
    const its = pod({ reload: 'signal:HUP' });
    const result = inject(its, options);
    const after = 'pod' in result ? structuredClone(result.pod) : its;
    Object.assign(after.metadata?.annotations ?? {}, { [annotations.restart]: 'true' });
    const restored = inject(after, options);
    const { annotations: own } = its.metadata ?? {};
    expect(restored).toEqual({
      pod: { ...its, metadata: { ...its.metadata, annotations: { ...own, [annotations.restart]: 'true' } } },
      warnings: [],
      environment: [],
    });
  });

  test('does not hold the dollar signs that Kubernetes would replace', () => {
    const items = [{ key: 'a', path: '$(b)$$c' }];
    const { env, description } = injectedPod({
      volumes: [{ name: 'config', configMap: { name: 'foo', items } }],
    });
    expect(env[injected.env.pod]).not.toContain('$');
    expect(env[injected.env.original]).not.toContain('$');
    expect(description.volumes[0]?.sources).toEqual([{ config: 0, items }]);
  });

  test('is refused with all problems at once', () => {
    expect(
      problems({
        reload: 'nothing',
        os: { name: 'windows' },
        volumes: [
          { name: 'trimtab-public', emptyDir: {} },
          { name: 'config', configMap: { name: 'foo' } },
        ],
        containers: [
          { name: 'trimtab-agent', ports: [{ containerPort: 9001 }] },
          { name: 'app', volumeMounts: [{ name: 'config', mountPath: '/var/run/trimtab/public/' }] },
        ],
      }),
    ).toEqual([
      expect.stringContaining('trimtab.dev/reload'),
      expect.stringContaining('Windows'),
      expect.stringContaining('Container "trimtab-agent" has the name of the agent'),
      expect.stringContaining('Volume "trimtab-public"'),
      expect.stringContaining('Container "app" mounts a volume at /var/run/trimtab/public'),
      expect.stringContaining('set annotation trimtab.dev/config-port to another port, such as "9002"'),
    ]);
  });

  test('is refused when its description is too long to start the agent', () => {
    const items = Array.from({ length: 3_000 }, (_, index) => ({
      key: `key-${index}`,
      path: `path/of/key-${index}`,
    }));
    expect(problems({ volumes: [{ name: 'config', configMap: { name: 'foo', items } }] })).toEqual([
      expect.stringContaining('TRIMTAB_POD'),
      expect.stringContaining('TRIMTAB_ORIGINAL'),
    ]);
  });

  test('warns about settings that may not work', () => {
    const env = [{ name: 'TRIMTAB_POD_IP', value: 'x' }];
    const { warnings, container } = injectedPod({
      annotations: { [annotations.configPort]: '80' },
      containers: [{ name: 'app', env, volumeMounts: [mount('config')] }],
    });
    expect(warnings).toEqual([
      expect.stringContaining('config-port is 80'),
      expect.stringContaining('"app" sets'),
    ]);
    expect(container('app')?.env?.map(({ name }) => name)).not.toContain('MY_CONFIG_ENDPOINT');
  });
});
