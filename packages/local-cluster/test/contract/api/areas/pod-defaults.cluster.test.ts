import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { made } from '../made.ts';
import { deployment, pod } from '../objects.ts';

contract('defaults of pods', (it) => {
  it('of a Pod', async ({ api, core }) => {
    const { spec, status } = await made(api.post(core('pods'), pod('plain')));
    expect(spec).toEqual({
      containers: [
        {
          name: 'app',
          image: 'app:1',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      serviceAccountName: 'default',
      serviceAccount: 'default',
      automountServiceAccountToken: false,
      securityContext: {},
      schedulerName: 'nobody',
      tolerations: [
        {
          key: 'node.kubernetes.io/not-ready',
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 300,
        },
        {
          key: 'node.kubernetes.io/unreachable',
          operator: 'Exists',
          effect: 'NoExecute',
          tolerationSeconds: 300,
        },
      ],
      priority: 0,
      enableServiceLinks: true,
      preemptionPolicy: 'PreemptLowerPriority',
    });
    expect(status).toEqual({ phase: 'Pending', qosClass: 'BestEffort' });
  });

  it('of a Pod’s service account token', async ({ api, core }) => {
    const object = pod('token', { automountServiceAccountToken: true });
    const { spec } = await made(api.post(core('pods'), object));
    const text = JSON.stringify(spec).replaceAll(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-XXXXX');
    const { volumes, containers } = JSON.parse(text);
    expect(volumes).toEqual([
      {
        name: 'kube-api-access-XXXXX',
        projected: {
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
            {
              downwardAPI: {
                items: [
                  { path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } },
                ],
              },
            },
          ],
          defaultMode: 420,
        },
      },
    ]);
    expect(containers[0].volumeMounts).toEqual([
      {
        name: 'kube-api-access-XXXXX',
        readOnly: true,
        mountPath: '/var/run/secrets/kubernetes.io/serviceaccount',
      },
    ]);
  });

  it('of a Pod that has something of its own where the token is mounted', async ({ api, core }) => {
    const mountPath = '/var/run/secrets/kubernetes.io/serviceaccount';
    const object = pod('own-token', {
      automountServiceAccountToken: true,
      initContainers: [{ name: 'init', image: 'app:1' }],
      containers: [{ name: 'app', image: 'app:1', volumeMounts: [{ name: 'own', mountPath }] }],
      volumes: [{ name: 'own', emptyDir: {} }],
    });
    const { spec } = await made(api.post(core('pods'), object));
    const { volumes, containers, initContainers } = spec as Record<string, { name: string }[]>;
    const added = volumes?.[1]?.name;
    expect(volumes?.map(({ name }) => name)).toEqual(['own', expect.stringMatching(/^kube-api-access-/)]);
    expect(containers?.[0]).toMatchObject({ volumeMounts: [{ name: 'own', mountPath }] });
    expect(initContainers?.[0]).toMatchObject({ volumeMounts: [{ name: added, readOnly: true, mountPath }] });
  });

  it('of a Pod that brings a volume named as the token’s', async ({ api, core }) => {
    const object = pod('known-token', {
      automountServiceAccountToken: true,
      volumes: [{ name: 'kube-api-access-mine', emptyDir: {} }],
    });
    const { spec } = await made(api.post(core('pods'), object));
    expect(spec).toMatchObject({
      volumes: [{ name: 'kube-api-access-mine', emptyDir: {} }],
      containers: [{ volumeMounts: [{ name: 'kube-api-access-mine', readOnly: true }] }],
    });
  });

  it('of a Pod whose service account wants no tokens mounted, but pull secrets', async ({ api, core }) => {
    await made(
      api.post(core('serviceaccounts'), {
        metadata: { name: 'modest' },
        automountServiceAccountToken: false,
        imagePullSecrets: [{ name: 'registry' }],
      }),
    );
    const { automountServiceAccountToken: _, ...rest } = pod('modest').spec as Record<string, unknown>;
    const object = {
      ...pod('modest'),
      spec: { ...rest, serviceAccountName: 'modest', imagePullSecrets: [] },
    };
    const { spec } = await made(api.post(core('pods'), object));
    expect(spec).toMatchObject({ imagePullSecrets: [{ name: 'registry' }] });
    expect(spec).not.toHaveProperty('volumes');
    const asked = {
      ...object,
      metadata: { name: 'asks' },
      spec: { ...object.spec, automountServiceAccountToken: true },
    };
    expect((await made(api.post(core('pods'), asked))).spec).toMatchObject({
      volumes: [{ name: expect.stringMatching(/^kube-api-access-/) }],
    });
  });

  it('of a variable that comes from a file', async ({ api, core }) => {
    const fileKeyRef = { volumeName: 'v', path: 'made.env', key: 'NAME' };
    const object = pod('file-key', {
      containers: [
        {
          name: 'app',
          image: 'app:1',
          env: [{ name: 'NAME', valueFrom: { fileKeyRef } }],
          volumeMounts: [{ name: 'v', mountPath: '/v' }],
        },
      ],
      volumes: [{ name: 'v', emptyDir: {} }],
    });
    const { spec } = await made(api.post(core('pods'), object));
    expect(spec).toMatchObject({
      containers: [
        { env: [{ name: 'NAME', valueFrom: { fileKeyRef: { ...fileKeyRef, optional: false } } }] },
      ],
    });
  });

  it('of probes, ports, volumes and references in a Pod', async ({ api, core }) => {
    const object = pod('rich', {
      initContainers: [{ name: 'init', image: 'init' }],
      containers: [
        {
          name: 'app',
          image: 'registry.example.com/app@sha256:'.concat('0'.repeat(64)),
          ports: [{ containerPort: 80 }],
          livenessProbe: { httpGet: { port: 80 } },
          readinessProbe: { exec: { command: ['true'] } },
          env: [{ name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
          resources: { limits: { cpu: '1', memory: '1Gi' } },
          lifecycle: { preStop: { httpGet: { port: 'web' } } },
        },
      ],
      volumes: [
        { name: 'a', configMap: { name: 'a' } },
        { name: 'b', secret: { secretName: 'b' } },
        { name: 'c', projected: { sources: [{ serviceAccountToken: { path: 'token' } }] } },
        { name: 'd', downwardAPI: { items: [{ path: 'x', fieldRef: { fieldPath: 'metadata.name' } }] } },
        { name: 'e', hostPath: { path: '/e' } },
        { name: 'f' },
      ],
    });
    const { spec } = await made(api.post(core('pods'), object));
    const { initContainers, containers, volumes } = spec as { [field: string]: unknown };
    expect(initContainers).toEqual([
      {
        name: 'init',
        image: 'init',
        resources: {},
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'Always',
      },
    ]);
    expect(containers).toEqual([
      {
        name: 'app',
        image:
          'registry.example.com/app@sha256:0000000000000000000000000000000000000000000000000000000000000000',
        ports: [{ containerPort: 80, protocol: 'TCP' }],
        env: [{ name: 'IP', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'status.podIP' } } }],
        resources: { limits: { cpu: '1', memory: '1Gi' }, requests: { cpu: '1', memory: '1Gi' } },
        livenessProbe: {
          httpGet: { path: '/', port: 80, scheme: 'HTTP' },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        readinessProbe: {
          exec: { command: ['true'] },
          timeoutSeconds: 1,
          periodSeconds: 10,
          successThreshold: 1,
          failureThreshold: 3,
        },
        lifecycle: { preStop: { httpGet: { path: '/', port: 'web', scheme: 'HTTP' } } },
        terminationMessagePath: '/dev/termination-log',
        terminationMessagePolicy: 'File',
        imagePullPolicy: 'IfNotPresent',
      },
    ]);
    expect(volumes).toEqual([
      { name: 'a', configMap: { name: 'a', defaultMode: 420 } },
      { name: 'b', secret: { secretName: 'b', defaultMode: 420 } },
      {
        name: 'c',
        projected: {
          sources: [{ serviceAccountToken: { expirationSeconds: 3600, path: 'token' } }],
          defaultMode: 420,
        },
      },
      {
        name: 'd',
        downwardAPI: {
          items: [{ path: 'x', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }],
          defaultMode: 420,
        },
      },
      { name: 'e', hostPath: { path: '/e', type: '' } },
      { name: 'f', emptyDir: {} },
    ]);
  });

  const pullPolicies: [image: string, policy: string][] = [
    ['app', 'Always'],
    ['app:latest', 'Always'],
    ['app:1.0', 'IfNotPresent'],
    ['host:5000/app', 'Always'],
    [`app@sha256:${'0'.repeat(64)}`, 'IfNotPresent'],
    ['app:', 'IfNotPresent'],
    ['App', 'IfNotPresent'],
  ];

  for (const [image, policy] of pullPolicies)
    it(`of the pull policy for the image ${image.slice(0, 20)}`, async ({ api, core }) => {
      const object = pod({ generateName: 'pull-' }, { containers: [{ name: 'app', image }] });
      const { spec } = await made(api.post(core('pods'), object, { query: { dryRun: 'All' } }));
      expect((spec as { containers: object[] }).containers[0]).toMatchObject({ imagePullPolicy: policy });
    });

  it('defaults of a template are those of a pod, save what only a pod has', async ({ api, apps }) => {
    const { spec } = await made(
      api.post(apps('deployments'), deployment('template'), { query: { dryRun: 'All' } }),
    );
    const { template } = spec as { template: { metadata: object; spec: object } };
    expect(template.metadata).toEqual({ labels: { app: 'app' } });
    expect(template.spec).toEqual({
      containers: [
        {
          name: 'app',
          image: 'app:1',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
          imagePullPolicy: 'IfNotPresent',
        },
      ],
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
      dnsPolicy: 'ClusterFirst',
      automountServiceAccountToken: false,
      securityContext: {},
      schedulerName: 'nobody',
    });
  });

  it('quantities are kept as they were written when they are canonical, and made so otherwise', async ({
    api,
    core,
  }) => {
    const limits = { cpu: '1000m', memory: '1024Mi', 'ephemeral-storage': '1.5Gi' };
    const object = pod('quantities', { containers: [{ name: 'app', image: 'app', resources: { limits } }] });
    const { spec } = await made(api.post(core('pods'), object, { query: { dryRun: 'All' } }));
    expect((spec as { containers: { resources: object }[] }).containers[0]?.resources).toEqual({
      limits: { cpu: '1', 'ephemeral-storage': '1536Mi', memory: '1Gi' },
      requests: { cpu: '1', 'ephemeral-storage': '1536Mi', memory: '1Gi' },
    });
  });
});
