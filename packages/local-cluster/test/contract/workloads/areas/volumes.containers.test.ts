import { configMaps } from '@trimtab/kube/resource.ts';
import { expect } from 'vitest';
import type { Volume, VolumeMount } from '../../../../src/objects/pod.ts';
import { contract } from '../../api/contract.ts';
import { once, type Target } from '../../api/target.ts';
import { lastWords, patienceMs, saidOf, startScript, stateWhen } from '../last-words.ts';

const configs = once(async ({ api, core }: Target) => {
  await api.post(core('configmaps'), {
    metadata: { name: 'colours' },
    data: { colour: 'green', size: 'L' },
    binaryData: { picture: '/wBB' },
  });
  await api.post(core('secrets'), {
    metadata: { name: 'login' },
    stringData: { user: 'ann', password: 's3' },
  });
});

/** A pod with these volumes. The mounts default to /trimtab/NAME for each volume. */
function withVolumes(volumes: Volume[], mounts?: VolumeMount[]) {
  const all = volumes.map(({ name }) => ({ name, mountPath: `/trimtab/${name}` }));
  return { container: { volumeMounts: mounts ?? all }, spec: { volumes } };
}

const options = { timeoutMs: patienceMs };

contract(
  'volumes of pods',
  (it) => {
    it(
      'a key of a ConfigMap is a link into ..data, a folder with the time in its name',
      async (target) => {
        await configs(target);
        const script = [
          'cd "$AT/trimtab/v"; readlink colour',
          'readlink ..data | sed "s/[0-9]/9/g; s/[.][^.]*$/.X/"',
          'ls; cat colour; echo; od -An -tx1 picture; ls -A | wc -l | tr -d " "',
        ].join('; ');
        const volumes = [{ name: 'v', configMap: { name: 'colours' } }];
        expect(await lastWords(target, 'links', script, withVolumes(volumes))).toBe(
          '..data/colour\n..9999_99_99_99_99_99.X\ncolour\npicture\nsize\ngreen\n ff 00 41\n5\n',
        );
      },
      options,
    );

    it(
      'modes and paths are those of the items, or the default',
      async (target) => {
        await configs(target);
        const items = [
          { key: 'user', path: 'who/is/it' },
          { key: 'password', path: 'pw', mode: 0o400 },
        ];
        const volumes = [
          { name: 's', secret: { secretName: 'login', items, defaultMode: 0o640 } },
          { name: 'c', configMap: { name: 'colours' } },
          { name: 'e', emptyDir: {} },
          { name: 'm', emptyDir: { medium: 'Memory' } },
          { name: 'd', downwardAPI: { items: [] } },
          { name: 'p', projected: { sources: [] } },
        ];
        const script =
          'cd "$AT/trimtab"; for f in s/who/is/it s/pw c/colour s c e m d p; do stat -L -c "%a $f" $f; done; readlink s/who; cat s/who/is/it';
        expect(await lastWords(target, 'modes', script, withVolumes(volumes))).toBe(
          '640 s/who/is/it\n400 s/pw\n644 c/colour\n1777 s\n777 c\n777 e\n1777 m\n1777 d\n1777 p\n..data/who\nann',
        );
      },
      options,
    );

    it(
      'what is optional may be missing, and a volume that nobody mounts, too',
      async (target) => {
        await configs(target);
        const items = [
          { key: 'colour', path: 'here' },
          { key: 'nope', path: 'there' },
        ];
        const mounted = [
          { name: 'a', configMap: { name: 'nope', optional: true } },
          { name: 'b', configMap: { name: 'colours', optional: true, items } },
        ];
        const wishes = withVolumes(mounted);
        const volumes = [...mounted, { name: 'c', secret: { secretName: 'nope' } }];
        const script = 'cd "$AT/trimtab"; ls a; ls b';
        expect(await lastWords(target, 'optional', script, { ...wishes, spec: { volumes } })).toBe('here\n');
      },
      options,
    );

    it(
      'a projected volume joins configs, the pod itself and a token of its account',
      async (target) => {
        await configs(target);
        const items = (path: string, fieldPath: string) => [{ path, fieldRef: { fieldPath } }];
        const sources = [
          { configMap: { name: 'colours', items: [{ key: 'colour', path: 'dir/colour' }] } },
          { secret: { name: 'login', items: [{ key: 'user', path: 'user' }] } },
          { serviceAccountToken: { path: 'dir/token', audience: 'shop', expirationSeconds: 600 } },
          { downwardAPI: { items: items('labels', 'metadata.labels') } },
        ];
        const volumes = [{ name: 'v', projected: { sources, defaultMode: 0o444 } }];
        const script =
          'cd "$AT/trimtab/v"; cat dir/colour; echo; cat labels; echo; stat -L -c %a dir/token; cat dir/token';
        const wishes = { ...withVolumes(volumes), labels: { app: 'cart', tier: 'b' } };
        const said = await lastWords(target, 'projected', script, wishes);
        const [colour, app, tier, mode, token = ''] = said.split('\n');
        expect([colour, app, tier, mode]).toEqual(['green', 'app="cart"', 'tier="b"', '444']);
        const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
        expect(claims).toMatchObject({
          aud: ['shop'],
          sub: `system:serviceaccount:${target.namespace}:default`,
          'kubernetes.io': { pod: { name: 'projected' }, node: { name: expect.any(String) } },
        });
        expect(claims.exp - claims.iat).toBe(600);
      },
      options,
    );

    it(
      'annotations of the pod are a file of one line each, quoted as Go quotes',
      async (target) => {
        const items = [{ path: 'notes', fieldRef: { fieldPath: 'metadata.annotations' } }];
        const wishes = withVolumes([{ name: 'v', downwardAPI: { items } }]);
        const annotations = {
          'test.dev/plain': 'é 😀 ~',
          'test.dev/odd': 'two\nlines\t"x" \\ \u0001\u007f\u00a0\u2028\ufeff\u00ad',
        };
        const script = 'grep ^test.dev "$AT/trimtab/v/notes"';
        expect(await lastWords(target, 'notes', script, { ...wishes, annotations })).toBe(
          'test.dev/odd="two\\nlines\\t\\"x\\" \\\\ \\x01\\x7f\\u00a0\\u2028\\ufeff\\u00ad"\ntest.dev/plain="é 😀 ~"\n',
        );
      },
      options,
    );

    it(
      'the token of a pod is where every client looks for it',
      async (target) => {
        const script =
          'cd "$AT/var/run/secrets/kubernetes.io/serviceaccount"; ls; cat namespace; echo; head -n 1 ca.crt; cut -d . -f 2 token';
        const spec = { automountServiceAccountToken: true };
        const said = await lastWords(target, 'api-access', script, { spec });
        const lines = said.split('\n');
        expect(lines.slice(0, 5)).toEqual([
          'ca.crt',
          'namespace',
          'token',
          target.namespace,
          '-----BEGIN CERTIFICATE-----',
        ]);
        const claims = JSON.parse(Buffer.from(lines[5] ?? '', 'base64url').toString());
        expect(claims['kubernetes.io']).toMatchObject({ pod: { name: 'api-access' } });
      },
      options,
    );

    it(
      'resources of a container in files',
      async (target) => {
        const item = (path: string, resource: string, divisor?: string) => ({
          path,
          resourceFieldRef: { containerName: 'app', resource, ...(divisor && { divisor }) },
        });
        const items = [item('cpu', 'limits.cpu', '1m'), item('memory', 'requests.memory', '1Mi')];
        const wishes = withVolumes([{ name: 'v', downwardAPI: { items } }]);
        const resources = { limits: { cpu: '1500m' }, requests: { memory: '10Mi' } };
        const container = { ...wishes.container, resources };
        const script = 'cd "$AT/trimtab/v"; cat cpu; echo; cat memory';
        expect(await lastWords(target, 'resources', script, { ...wishes, container })).toBe('1500\n10');
      },
      options,
    );

    it(
      'a subPath is one file of a volume, and a folder where the volume has no such key',
      async (target) => {
        await configs(target);
        const volumes = [
          { name: 'v', configMap: { name: 'colours' } },
          { name: 'e', emptyDir: {} },
        ];
        const mounts = [
          { name: 'v', mountPath: '/trimtab/colour.txt', subPath: 'colour' },
          { name: 'v', mountPath: '/trimtab/missing', subPath: 'nope' },
          { name: 'e', mountPath: '/trimtab/deep', subPathExpr: 'x/$(POD)' },
          { name: 'e', mountPath: '/trimtab/all' },
        ];
        const wishes = withVolumes(volumes, mounts);
        const env = [{ name: 'POD', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }];
        const script =
          'cd "$AT/trimtab"; cat colour.txt; echo; ls -A missing | wc -l | tr -d " "; echo made > deep/file; cat all/x/subpath/file';
        const said = await lastWords(target, 'subpath', script, {
          ...wishes,
          container: { ...wishes.container, env },
        });
        expect(said).toBe('green\n0\nmade\n');
      },
      options,
    );

    it(
      'a volume can be mounted inside of another one, also of a config',
      async (target) => {
        await configs(target);
        const volumes = [
          { name: 'outer', configMap: { name: 'colours' } },
          { name: 'inner', secret: { secretName: 'login' } },
        ];
        const mounts = [
          { name: 'inner', mountPath: '/trimtab/outer/in/inner' },
          { name: 'outer', mountPath: '/trimtab/outer' },
        ];
        const script = 'cd "$AT/trimtab/outer"; ls; cat in/inner/user';
        expect(await lastWords(target, 'nested', script, withVolumes(volumes, mounts))).toBe(
          'colour\nin\npicture\nsize\nann',
        );
      },
      options,
    );

    it(
      'containers of a pod share an emptyDir',
      async (target) => {
        const volumeMounts = [{ name: 'v', mountPath: '/made' }];
        const command = ['sh', '-c', 'echo by init > "$POD_ROOT/made/file"'];
        const init = { name: 'init', image: target.engine.images.busybox, command, volumeMounts };
        const wishes = withVolumes([{ name: 'v', emptyDir: {} }]);
        const spec = { ...wishes.spec, initContainers: [init] };
        expect(await lastWords(target, 'shared', 'cat "$AT/trimtab/v/file"', { ...wishes, spec })).toBe(
          'by init\n',
        );
      },
      options,
    );

    it(
      'a program finds its pod, its container and its volumes in its mounts',
      async (target) => {
        const volumes = [
          { name: 'e', emptyDir: {} },
          { name: 'c', configMap: { name: 'kube-root-ca.crt' } },
        ];
        const wishes = withVolumes(volumes);
        const env = [{ name: 'POD_UID', valueFrom: { fieldRef: { fieldPath: 'metadata.uid' } } }];
        const script = [
          'while read -r _ _ _ root point _',
          `do case $point in /dev/termination-log | /trimtab/*) echo "$point \${root##*/pods/}"; esac`,
          'done < /proc/self/mountinfo | sed "s/$POD_UID/UID/; s/[0-9a-f]\\{8\\}$/X/" | sort',
        ].join('; ');
        const container = { ...wishes.container, env };
        const seen = await lastWords(target, 'mounts', script, { ...wishes, container });
        const expected = [
          '/dev/termination-log UID/containers/app/X',
          '/trimtab/c UID/volumes/kubernetes.io~configmap/c',
          '/trimtab/e UID/volumes/kubernetes.io~empty-dir/e',
          '',
        ];
        // Without mount namespaces, a program of the local cluster has no mounts of its own.
        if (seen !== '' || target.engine.name === 'kubernetes') expect(seen).toBe(expected.join('\n'));
      },
      options,
    );

    it(
      'a config that changes is seen in a volume, in one swap, and never through a subPath or a variable',
      async (target) => {
        const client = await target.engine.connect();
        const where = { namespace: target.namespace, name: 'changing' };
        await client.create(configMaps, { metadata: where, data: { a: '1', b: '1' } } as {
          metadata: object;
        });
        const volumes = [{ name: 'v', configMap: { name: 'changing' } }];
        const mounts = [
          { name: 'v', mountPath: '/trimtab/v' },
          { name: 'v', mountPath: '/trimtab/fixed', subPath: 'a' },
        ];
        const wishes = withVolumes(volumes, mounts);
        const env = [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'changing', key: 'a' } } }];
        // A kubelet switches ..data first, and then adds and removes the links of added and removed keys.
        const script = [
          'cd "$AT/trimtab"; until [ "$(cat v/..data/a)" = 2 ]; do sleep 0.2; done; now=$(cat v/..data/a v/..data/c)',
          'until [ -e v/c ] && [ ! -L v/b ]; do sleep 0.2; done; echo $now $(ls v) $(cat fixed) $A',
        ].join('; ');
        await startScript(target, 'follower', script.replaceAll('$(', '$$('), {
          ...wishes,
          container: { ...wishes.container, env },
        });
        await stateWhen(target, 'follower', 'runs', ({ running }) => running !== undefined);
        const body = { data: { a: '2', b: null, c: '3' } };
        await client.patch(configMaps, where, { type: 'merge', body });
        const { terminated } = await stateWhen(target, 'follower', 'has seen the change', (state) =>
          Boolean(state.terminated),
        );
        expect(terminated?.message).toBe('23 a c 1 1\n');
      },
      options,
    );

    const missing: [string, Volume, string][] = [
      ['config', { name: 'v', configMap: { name: 'nope' } }, 'configmap "nope" not found'],
      ['secret', { name: 'v', secret: { secretName: 'nope' } }, 'secret "nope" not found'],
      [
        'key',
        { name: 'v', configMap: { name: 'colours', items: [{ key: 'x', path: 'x' }] } },
        'configmap references non-existent config key: x',
      ],
      [
        'secret-key',
        { name: 'v', secret: { secretName: 'login', items: [{ key: 'x', path: 'x' }] } },
        'references non-existent secret key: x',
      ],
      [
        'projected',
        {
          name: 'v',
          projected: { sources: [{ secret: { name: 'nope' } }, { configMap: { name: 'none' } }] },
        },
        '[secret "nope" not found, configmap "none" not found]',
      ],
      [
        'host',
        { name: 'v', hostPath: { path: '/trimtab-nowhere', type: 'Directory' } },
        'hostPath type check failed: /trimtab-nowhere is not a directory',
      ],
    ];
    for (const [what, volume, text] of missing)
      it(
        `without its source (${what}) a volume keeps the pod waiting, and an Event says why`,
        async (target) => {
          await configs(target);
          const name = `missing-${what}`;
          await startScript(target, name, 'true', withVolumes([volume]));
          await saidOf(
            target,
            name,
            `Warning FailedMount: MountVolume.SetUp failed for volume "v" : ${text}`,
          );
          const { waiting } = await stateWhen(target, name, 'waits', (state) => Boolean(state.waiting));
          expect(waiting).toEqual({ reason: 'ContainerCreating' });
        },
        options,
      );
  },
  { pods: 'real', atOnce: true },
);
