import { services } from '@trimtab/kube/resource.ts';
import { expect } from 'vitest';
import type { EnvVar } from '../../../../src/objects/pod.ts';
import { contract } from '../../api/contract.ts';
import { once, type Target } from '../../api/target.ts';
import { lastWords, patienceMs, saidOf, startScript, stateWhen } from '../last-words.ts';

const configs = once(async ({ api, core }: Target) => {
  const config = (kind: string, name: string, more: object) =>
    api.post(core(`${kind}s`.toLowerCase()), { metadata: { name }, ...more });
  await config('ConfigMap', 'colours', {
    data: { COLOUR: 'green', 'app.size': 'L', A: 'config' },
    binaryData: { PICTURE: '/w==' },
  });
  await config('Secret', 'login', { stringData: { USER: 'ann', A: 'secret' } });
});

const from = (name: string, valueFrom: NonNullable<EnvVar['valueFrom']>) => ({ name, valueFrom });

contract(
  'variables of containers',
  (it) => {
    const tells = (name: string, script: string, wishes: Parameters<typeof lastWords>[3], expected: string) =>
      it(
        name,
        async (target) => {
          await configs(target);
          expect(await lastWords(target, podName(name), script, wishes)).toBe(expected);
        },
        { timeoutMs: patienceMs },
      );

    tells(
      'env wins over envFrom, and a later envFrom over an earlier one',
      'echo "$A $COLOUR $USER $X_A"',
      {
        container: {
          envFrom: [
            { configMapRef: { name: 'colours' } },
            { secretRef: { name: 'login' } },
            { prefix: 'X_', configMapRef: { name: 'colours' } },
          ],
          env: [{ name: 'USER', value: 'bob' }],
        },
      },
      'secret green bob config\n',
    );

    tells(
      'a key that is no name for a shell is a variable all the same, and binary data is none',
      // Reads the initial environment of the shell. Kubernetes reduces `$$` to `$`.
      `tr '\\0' '\\n' < /proc/$$$$/environ | grep -e '^app' -e PICTURE`,
      { container: { envFrom: [{ configMapRef: { name: 'colours' } }] } },
      'app.size=L\n',
    );

    tells(
      'references are replaced by what was said before, in variables and arguments, and can be escaped',
      'echo "$TWO|$THREE|$1|$2"',
      {
        container: {
          env: [
            { name: 'ONE', value: '1' },
            { name: 'TWO', value: '$(ONE)-$(LATER)-$$(ONE)' },
            { name: 'THREE', value: '$(TWO)$$$(ONE)$(' },
            { name: 'LATER', value: 'x' },
          ],
          args: ['$(ONE)/$(LATER)/$(HOSTNAME)/$$(ONE)', '$(NOBODY)'],
        },
      },
      '1-$(LATER)-$(ONE)|1-$(LATER)-$(ONE)$1$(|1/x/$(HOSTNAME)/$(ONE)|$(NOBODY)\n',
    );

    tells(
      'what is optional and missing is not set, and leaves what envFrom has set',
      'env | grep -e ^A= -e ^B= -e ^C= | sort',
      {
        container: {
          envFrom: [
            { configMapRef: { name: 'colours' } },
            { configMapRef: { name: 'nope', optional: true } },
          ],
          env: [
            from('A', { configMapKeyRef: { name: 'colours', key: 'nope', optional: true } }),
            from('B', { secretKeyRef: { name: 'nope', key: 'x', optional: true } }),
            { name: 'C', value: '' },
          ],
        },
      },
      'A=config\nC=\n',
    );

    tells(
      'fields of the pod',
      `echo "$NAME $LABEL|$NONE|$ACCOUNT|$HOSTNAME"; printf "%s\\n" "$NOTE"; [ "$IP" = "$IPS" ] && [ -n "$IP" ] && [ -n "$NODE" ] && [ -n "$HOST" ]`,
      {
        labels: { app: 'cart', 'test.dev/tier': 'b' },
        annotations: { note: 'two\nlines' },
        container: {
          env: [
            from('NAME', { fieldRef: { fieldPath: 'metadata.name' } }),
            from('LABEL', { fieldRef: { fieldPath: "metadata.labels['test.dev/tier']" } }),
            from('NONE', { fieldRef: { fieldPath: "metadata.annotations['nope']" } }),
            from('ACCOUNT', { fieldRef: { fieldPath: 'spec.serviceAccountName' } }),
            from('NOTE', { fieldRef: { fieldPath: "metadata.annotations['note']" } }),
            from('IP', { fieldRef: { fieldPath: 'status.podIP' } }),
            from('IPS', { fieldRef: { fieldPath: 'status.podIPs' } }),
            from('HOST', { fieldRef: { fieldPath: 'status.hostIP' } }),
            from('NODE', { fieldRef: { fieldPath: 'spec.nodeName' } }),
          ],
        },
      },
      'fields-of-the-pod b||default|fields-of-the-pod\ntwo\nlines\n',
    );

    tells(
      'resources are whole divisors, rounded up, and without a limit what the node has',
      'echo $A $B $C $D; [ $E -ge 1 ] && [ $F -gt 1000000 ]',
      {
        container: {
          resources: { limits: { cpu: '150m', memory: '100Mi' }, requests: { cpu: '70m', memory: '1Mi' } },
          env: [
            from('A', { resourceFieldRef: { resource: 'limits.cpu' } }),
            from('B', { resourceFieldRef: { resource: 'requests.cpu', divisor: '1m' } }),
            from('C', { resourceFieldRef: { resource: 'limits.memory', divisor: '1M' } }),
            from('D', { resourceFieldRef: { resource: 'limits.memory' } }),
            from('E', { resourceFieldRef: { resource: 'limits.ephemeral-storage', divisor: '1Gi' } }),
            from('F', { resourceFieldRef: { resource: 'limits.ephemeral-storage' } }),
          ],
        },
      },
      '1 70 105 104857600\n',
    );

    it(
      'Services that were there before it, and the API server in any case',
      async (target) => {
        const client = await target.engine.connect();
        const ports = [
          { name: 'web-ui', port: 80 },
          { name: 'dns', port: 53, protocol: 'UDP' },
        ];
        const made = await client.create(services, {
          metadata: { namespace: target.namespace, name: 'my-shop' },
          spec: { selector: { app: 'none' }, ports },
        } as { metadata: object; spec: { clusterIP?: string } });
        const ip = made.spec.clusterIP;
        const script = `env | grep ^MY_SHOP | sort; [ -n "$KUBERNETES_SERVICE_HOST" ] && [ -n "$KUBERNETES_PORT" ]`;
        expect(await lastWords(target, 'links', script)).toBe(
          [
            `MY_SHOP_PORT=tcp://${ip}:80`,
            `MY_SHOP_PORT_53_UDP=udp://${ip}:53`,
            `MY_SHOP_PORT_53_UDP_ADDR=${ip}`,
            'MY_SHOP_PORT_53_UDP_PORT=53',
            'MY_SHOP_PORT_53_UDP_PROTO=udp',
            `MY_SHOP_PORT_80_TCP=tcp://${ip}:80`,
            `MY_SHOP_PORT_80_TCP_ADDR=${ip}`,
            'MY_SHOP_PORT_80_TCP_PORT=80',
            'MY_SHOP_PORT_80_TCP_PROTO=tcp',
            `MY_SHOP_SERVICE_HOST=${ip}`,
            'MY_SHOP_SERVICE_PORT=80',
            'MY_SHOP_SERVICE_PORT_DNS=53',
            'MY_SHOP_SERVICE_PORT_WEB_UI=80',
            '',
          ].join('\n'),
        );
        const none = await lastWords(target, 'no-links', script.replace('sort;', 'wc -l;'), {
          spec: { enableServiceLinks: false },
        });
        expect(none.trim()).toBe('0');
      },
      { timeoutMs: patienceMs },
    );

    it(
      'a file that an init container has left',
      async (target) => {
        const volumeMounts = [{ name: 'v', mountPath: '/out' }];
        const lines = `# made by init\\nA='"'"'one'"'"' # why\\nB='"'"'two\\nlines'"'"'\\n`;
        const init = {
          name: 'init',
          image: target.engine.images.busybox,
          command: ['sh', '-c', `printf '${lines}' > "\${POD_ROOT:-}/out/made.env"`],
          volumeMounts,
        };
        const file = (key: string, optional = false) => ({
          fileKeyRef: { volumeName: 'v', path: 'made.env', key, optional },
        });
        const env = [from('X', file('B')), from('Y', file('nope', true))];
        const said = await lastWords(target, 'file-key', 'env | grep -c ^Y=; echo "$X"', {
          container: { env, volumeMounts },
          spec: { initContainers: [init], volumes: [{ name: 'v', emptyDir: {} }] },
        });
        expect(said).toBe('0\ntwo\nlines\n');
      },
      { timeoutMs: patienceMs },
    );

    const missing: [string, object, string][] = [
      ['config', { configMapKeyRef: { name: 'nope', key: 'x' } }, 'configmap "nope" not found'],
      ['secret', { secretKeyRef: { name: 'nope', key: 'x' } }, 'secret "nope" not found'],
      [
        'key',
        { configMapKeyRef: { name: 'colours', key: 'x' } },
        "couldn't find key x in ConfigMap NAMESPACE/colours",
      ],
      [
        'binary',
        { configMapKeyRef: { name: 'colours', key: 'PICTURE' } },
        "couldn't find key PICTURE in ConfigMap NAMESPACE/colours",
      ],
      [
        'secret-key',
        { secretKeyRef: { name: 'login', key: 'x' } },
        "couldn't find key x in Secret NAMESPACE/login",
      ],
    ];
    for (const [what, valueFrom, text] of missing)
      it(
        `without its source (${what}) the container is not made, and says why`,
        async (target) => {
          await configs(target);
          const name = `missing-${what}`;
          const env = [{ name: 'X', valueFrom }];
          await startScript(target, name, 'true', { container: { env } });
          const message = text.replace('NAMESPACE', target.namespace);
          // A kubelet under load first reports that it has not observed the config yet.
          const { waiting } = await stateWhen(
            target,
            name,
            `says '${message}'`,
            (state) => state.waiting?.message === message,
          );
          expect(waiting).toEqual({ reason: 'CreateContainerConfigError', message });
          await saidOf(target, name, `Warning Failed: Error: ${message}`);
        },
        { timeoutMs: patienceMs },
      );
  },
  { pods: 'real', atOnce: true },
);

function podName(sentence: string): string {
  return sentence
    .replaceAll(/[^a-zA-Z]+/g, '-')
    .slice(0, 40)
    .replace(/-$/, '')
    .toLowerCase();
}
