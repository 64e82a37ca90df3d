import { pods } from '@trimtab/kube/resource.ts';
import { waitForState } from '@trimtab/test-bed/watching/wait-for-state.ts';
import { expect } from 'vitest';
import type { Container, ContainerStatus, Pod, PodSpec } from '../../../../src/objects/pod.ts';
import { contract } from '../../api/contract.ts';
import type { Target } from '../../api/target.ts';
import { lastWords, patienceMs, saidOf } from '../last-words.ts';
import { Stage } from '../stage.ts';

/** A shell script. `$AT` is the root of the files of its container on every engine. */
const shell = (script: string) => ['sh', '-c', `AT="\${POD_ROOT:-}"; ${script}`];
const probe = (script: string, more: object = {}) => ({
  exec: { command: shell(script) },
  periodSeconds: 1,
  timeoutSeconds: 5,
  ...more,
});

/** A container with the folder /shared. */
const running = (target: Target, name: string, script: string, more: Partial<Container> = {}): Container => ({
  name,
  image: target.engine.images.busybox,
  command: shell(script),
  volumeMounts: [{ name: 'shared', mountPath: '/shared' }],
  ...more,
});

const forever = 'while :; do sleep 0.1; done';
const patient = { failureThreshold: 120 };

/** A sidecar whose startup probe succeeds once its script has created /shared/ready. */
const sidecar = (target: Target, script: string, more: Partial<Container> = {}): Container =>
  running(target, 'side', script, {
    restartPolicy: 'Always',
    startupProbe: probe('[ -e "$AT/shared/ready" ]', patient),
    ...more,
  });

async function start(
  target: Target,
  name: string,
  spec: Partial<PodSpec> & Pick<PodSpec, 'containers'>,
  metadata: object = {},
): Promise<Stage> {
  const stage = await Stage.on(target);
  await stage.create<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 5,
      automountServiceAccountToken: false,
      volumes: [{ name: 'shared', emptyDir: {} }],
      ...spec,
    },
  });
  return stage;
}

function until(stage: Stage, name: string, what: string, isSo: (pod: Pod) => boolean): Promise<Pod> {
  const judge = (pod: Pod | undefined) =>
    pod !== undefined && isSo(pod) ? { met: pod } : { seen: JSON.stringify(pod?.status) };
  const where = { namespace: stage.namespace, name };
  return waitForState(`${name} ${what}`, stage.client, pods, where, judge, { timeoutMs: patienceMs });
}

const remove = (stage: Stage, name: string) =>
  stage.client.delete(pods, { namespace: stage.namespace, name });
const ended = (stage: Stage, name: string) =>
  until(stage, name, 'has ended', ({ status }) => ['Succeeded', 'Failed'].includes(status?.phase ?? ''));
const side = ({ status }: Pod): ContainerStatus | undefined => status?.initContainerStatuses?.[0];
const main = ({ status }: Pod): ContainerStatus | undefined => status?.containerStatuses?.[0];
const isReady = ({ status }: Pod) =>
  status?.conditions?.find(({ type }) => type === 'Ready')?.status === 'True';
const options = { timeoutMs: patienceMs };

contract(
  'injected containers',
  (it) => {
    it(
      'later init containers and the main container wait until a sidecar has started',
      async (target) => {
        const log = (text: string) => `echo ${text} >> "$AT/shared/log"`;
        const script = `${log('side')}; until [ -e "$AT/shared/probed" ]; do sleep 0.1; done; ${log('started')}; touch "$AT/shared/ready"; ${forever}`;
        const startupProbe = probe('touch "$AT/shared/probed"; [ -e "$AT/shared/ready" ]', patient);
        const stage = await start(target, 'waiting', {
          initContainers: [sidecar(target, script, { startupProbe }), running(target, 'init', log('init'))],
          containers: [
            running(target, 'app', `${log('app')}; cat "$AT/shared/log" > "$AT/dev/termination-log"`),
          ],
        });
        const pod = await ended(stage, 'waiting');
        expect(main(pod)?.state.terminated?.message).toBe('side\nstarted\ninit\napp\n');
        expect(pod.status?.phase).toBe('Succeeded');
      },
      options,
    );

    it(
      'a sidecar ends after the main container when the pod is deleted',
      async (target) => {
        const record = (name: string) =>
          `trap 'echo ${name} >> "$AT/shared/log"; cat "$AT/shared/log" > "$AT/dev/termination-log"; exit 0' TERM; touch "$AT/shared/ready"; ${forever}`;
        const stage = await start(
          target,
          'ordered',
          {
            terminationGracePeriodSeconds: 30,
            initContainers: [sidecar(target, record('side'))],
            containers: [
              running(target, 'app', record('app'), {
                readinessProbe: probe('[ -e "$AT/shared/ready" ]'),
              }),
            ],
          },
          { finalizers: ['test.dev/hold'] },
        );
        await until(stage, 'ordered', 'is Ready', isReady);
        await remove(stage, 'ordered');
        const pod = await until(
          stage,
          'ordered',
          'has ended both',
          (each) => side(each)?.state.terminated !== undefined && main(each)?.state.terminated !== undefined,
        );
        await stage.merge(pods, 'ordered', { metadata: { finalizers: null } });
        expect(main(pod)?.state.terminated?.message).toBe('app\n');
        expect(side(pod)?.state.terminated).toMatchObject({ exitCode: 0, message: 'app\nside\n' });
      },
      options,
    );

    it(
      'a pod is Ready when the readiness probe of its sidecar succeeds',
      async (target) => {
        const stage = await start(target, 'guarded', {
          initContainers: [
            sidecar(target, `touch "$AT/shared/ready"; ${forever}`, {
              readinessProbe: probe('[ -e "$AT/shared/go" ]', { failureThreshold: 1 }),
            }),
          ],
          containers: [
            running(
              target,
              'app',
              `until [ -e "$AT/shared/asked" ]; do sleep 0.1; done; touch "$AT/shared/go"; ${forever}`,
              { readinessProbe: probe('touch "$AT/shared/asked"') },
            ),
          ],
        });
        const unready = await until(
          stage,
          'guarded',
          'runs and is not Ready',
          (pod) => main(pod)?.state.running !== undefined && side(pod)?.started === true && !isReady(pod),
        );
        expect(side(unready)?.ready).toBe(false);
        const ready = await until(stage, 'guarded', 'is Ready', isReady);
        expect([side(ready)?.ready, side(ready)?.started]).toEqual([true, true]);
        await remove(stage, 'guarded');
      },
      options,
    );

    it(
      'a sidecar whose liveness probe fails is restarted alone',
      async (target) => {
        const script = `touch "$AT/shared/ready"; echo x >> "$AT/shared/runs"; ${forever}`;
        const alive = '[ "$(wc -l < "$AT/shared/runs")" -gt 1 ]';
        const stage = await start(target, 'unhealthy', {
          terminationGracePeriodSeconds: 1,
          initContainers: [sidecar(target, script, { livenessProbe: probe(alive, { failureThreshold: 1 }) })],
          containers: [running(target, 'app', forever)],
        });
        const pod = await until(
          stage,
          'unhealthy',
          'has its sidecar again',
          (each) => Number(side(each)?.restartCount) >= 1 && side(each)?.state.running !== undefined,
        );
        expect(main(pod)?.restartCount).toBe(0);
        await saidOf(target, 'unhealthy', 'Normal Killing: Init container side failed liveness probe');
        await remove(stage, 'unhealthy');
      },
      options,
    );

    it(
      'a sidecar that is killed is restarted alone',
      async (target) => {
        const script = `touch "$AT/shared/ready"; echo x >> "$AT/shared/runs"; [ "$(wc -l < "$AT/shared/runs")" -gt 1 ] || sh -c 'kill -9 $PPID'; ${forever}`;
        const stage = await start(target, 'killed', {
          terminationGracePeriodSeconds: 1,
          // A process with the PID 1 of a container cannot be killed from inside.
          shareProcessNamespace: true,
          initContainers: [sidecar(target, script)],
          containers: [running(target, 'app', forever)],
        } as Partial<PodSpec> & Pick<PodSpec, 'containers'>);
        const pod = await until(
          stage,
          'killed',
          'has its sidecar again',
          (each) => side(each)?.restartCount === 1 && side(each)?.state.running !== undefined,
        );
        expect(side(pod)?.lastState.terminated).toMatchObject({ exitCode: 137 });
        expect(main(pod)?.restartCount).toBe(0);
        await remove(stage, 'killed');
      },
      options,
    );

    it(
      'the main container gets variables from a file that a sidecar has written',
      async (target) => {
        const script = `printf "NAME='ann'\\nCOLOUR='green'\\n" > "$AT/shared/made.env"; touch "$AT/shared/ready"; ${forever}`;
        const from = (name: string, key: string) => ({
          name,
          valueFrom: { fileKeyRef: { volumeName: 'shared', path: 'made.env', key } },
        });
        const stage = await start(target, 'variables', {
          initContainers: [sidecar(target, script)],
          containers: [
            running(target, 'app', 'echo "$NAME likes $TEXT" > "$AT/dev/termination-log"', {
              env: [from('NAME', 'NAME'), from('TEXT', 'COLOUR')],
            }),
          ],
        });
        expect(main(await ended(stage, 'variables'))?.state.terminated?.message).toBe('ann likes green\n');
      },
      options,
    );

    const broken: [what: string, content: string, message: RegExp][] = [
      ['no-file', ':', /^couldn't parse env file$/],
      ['no-quotes', 'echo NAME=ann > "$AT/shared/made.env"', /^couldn't parse env file$/],
      [
        'no-key',
        `echo "OTHER='x'" > "$AT/shared/made.env"`,
        /^environment variable key "NAME" not found in file "\/.*\/pods\/UID\/volumes\/kubernetes\.io~empty-dir\/shared\/made\.env"$/,
      ],
    ];
    for (const [what, content, message] of broken)
      it(
        `a container whose variable is not in the file (${what}) waits and reports why`,
        async (target) => {
          const fileKeyRef = { volumeName: 'shared', path: 'made.env', key: 'NAME' };
          const stage = await start(target, what, {
            initContainers: [running(target, 'init', content)],
            containers: [
              running(target, 'app', 'true', { env: [{ name: 'NAME', valueFrom: { fileKeyRef } }] }),
            ],
          });
          const pod = await until(
            stage,
            what,
            'reports the error',
            (each) => main(each)?.state.waiting?.reason === 'CreateContainerConfigError',
          );
          const text = main(pod)?.state.waiting?.message ?? '';
          expect(text.replace(pod.metadata.uid ?? '', 'UID')).toMatch(message);
          await saidOf(target, what, `Warning Failed: Error: ${text}`);
          await remove(stage, what);
        },
        options,
      );

    it(
      'a subPath can be a file or a folder that a sidecar has created',
      async (target) => {
        const script = `mkdir "$AT/shared/folder"; echo inside > "$AT/shared/folder/file"; echo hello > "$AT/shared/made.txt"; touch "$AT/shared/ready"; ${forever}`;
        const volumeMounts = [
          { name: 'shared', mountPath: '/trimtab/made.txt', subPath: 'made.txt', readOnly: true },
          { name: 'shared', mountPath: '/trimtab/folder', subPath: 'folder' },
        ];
        const stage = await start(target, 'part', {
          initContainers: [sidecar(target, script)],
          containers: [
            running(
              target,
              'app',
              'cd "$AT/trimtab"; cat made.txt folder/file > "$AT/dev/termination-log"; ls >> "$AT/dev/termination-log"',
              { volumeMounts },
            ),
          ],
        });
        expect(main(await ended(stage, 'part'))?.state.terminated?.message).toBe(
          'hello\ninside\nfolder\nmade.txt\n',
        );
      },
      options,
    );

    it(
      'an emptyDir in memory is shared by the containers of a pod',
      async (target) => {
        const stage = await start(target, 'memory', {
          volumes: [{ name: 'shared', emptyDir: { medium: 'Memory', sizeLimit: '8Mi' } }],
          initContainers: [
            sidecar(target, `echo fast > "$AT/shared/file"; touch "$AT/shared/ready"; ${forever}`),
          ],
          containers: [
            running(
              target,
              'app',
              'cat "$AT/shared/file" > "$AT/dev/termination-log"; stat -c %a "$AT/shared" >> "$AT/dev/termination-log"',
            ),
          ],
        });
        expect(main(await ended(stage, 'memory'))?.state.terminated?.message).toBe('fast\n1777\n');
      },
      options,
    );

    it(
      'later variables refer to the address of the pod',
      async (target) => {
        const env = [
          { name: 'POD_ADDRESS', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
          { name: 'URL', value: 'http://$(POD_ADDRESS):8080/$(NONE)' },
          { name: 'DOUBLE', value: '$(URL)?from=$(POD_ADDRESS)' },
        ];
        const said = await lastWords(target, 'address', 'echo "$POD_ADDRESS $URL $DOUBLE"', {
          container: { env },
        });
        const [address = ''] = said.split(' ');
        expect(address).toMatch(/^\d+\.\d+\.\d+\.\d+$/);
        const url = `http://${address}:8080/$(NONE)`;
        expect(said).toBe(`${address} ${url} ${url}?from=${address}\n`);
      },
      options,
    );

    it(
      'a projected token is valid for its audience and is bound to its pod',
      async (target) => {
        const items = [
          { path: 'name', fieldRef: { fieldPath: 'metadata.name' } },
          { path: 'who/uid', fieldRef: { fieldPath: 'metadata.uid' } },
        ];
        const sources = [
          { serviceAccountToken: { path: 'gateway/token', audience: 'trimtab', expirationSeconds: 700 } },
          { downwardAPI: { items } },
        ];
        const stage = await start(target, 'token', {
          volumes: [{ name: 'shared', projected: { sources } }],
          containers: [
            running(target, 'app', forever, {
              readinessProbe: probe('[ -s "$AT/shared/gateway/token" ]'),
            }),
          ],
        });
        const pod = await until(stage, 'token', 'is Ready', isReady);
        const read = (file: string) =>
          stage.kubectl('exec', 'token', '--', ...shell(`cat "$AT/shared/${file}"`));
        expect([await read('name'), await read('who/uid')]).toEqual(['token', pod.metadata.uid]);
        const token = await read('gateway/token');
        const review = async (audiences: string[]) => {
          const { body } = await target.api.post('/apis/authentication.k8s.io/v1/tokenreviews', {
            apiVersion: 'authentication.k8s.io/v1',
            kind: 'TokenReview',
            spec: { token, audiences },
          });
          return body['status'];
        };
        expect(await review(['other', 'trimtab'])).toMatchObject({
          authenticated: true,
          audiences: ['trimtab'],
          user: {
            username: `system:serviceaccount:${target.namespace}:default`,
            extra: {
              'authentication.kubernetes.io/pod-name': ['token'],
              'authentication.kubernetes.io/pod-uid': [pod.metadata.uid],
              'authentication.kubernetes.io/node-name': [pod.spec.nodeName],
            },
          },
        });
        expect(await review(['other'])).toEqual({
          user: {},
          error:
            '[invalid bearer token, token audiences ["trimtab"] is invalid for the target audiences ["other"]]',
        });
        const claims = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());
        expect(claims.exp - claims.iat).toBe(700);
        await remove(stage, 'token');
      },
      { needs: 'kubectl', timeoutMs: patienceMs },
    );
  },
  { pods: 'real', atOnce: true },
);
