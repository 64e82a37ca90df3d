import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { expect } from 'vitest';
import { contract } from '../../api/contract.ts';
import type { Target } from '../../api/target.ts';
import { patienceMs } from '../last-words.ts';
import { Stage } from '../stage.ts';

/** Reads a file of the study's nginx, below `$POD_ROOT` where volumes are not at their mount paths. */
const read = (file: string) => ['sh', '-c', `cat "\${POD_ROOT:-}${file}"`];

/** The study's Deployment and ConfigMap in the current API. `app` reads variables or files from `config`. */
function manifest(
  { engine }: Target,
  app: string,
  config: string,
  use: { env?: true; files?: true },
): string {
  const container = {
    name: app,
    image: engine.images.busybox,
    command: ['sleep', '3600'],
    ...(use.env && { envFrom: [{ configMapRef: { name: config } }] }),
    ...(use.files && {
      volumeMounts: [
        { name: 'config-volume', mountPath: '/etc/config' },
        { name: 'config-volume', mountPath: '/tmp/fixed/log_level', subPath: 'log_level' },
      ],
    }),
  };
  const labels = { run: app };
  const spec = {
    terminationGracePeriodSeconds: 0,
    containers: [container],
    ...(use.files && { volumes: [{ name: 'config-volume', configMap: { name: config } }] }),
  };
  const deployment = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: app },
    spec: { replicas: 1, selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
  };
  const map = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: config },
    data: { log_level: 'INFO' },
  };
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items: [map, deployment] });
}

/** The commands of the study, for one of its two examples. */
class Study {
  readonly #target: Target;
  readonly #stage: Stage;
  readonly #app: string;
  readonly #config: string;

  private constructor(target: Target, stage: Stage, app: string, config: string) {
    this.#target = target;
    this.#stage = stage;
    this.#app = app;
    this.#config = config;
  }

  static async begin(target: Target, app: string, config: string, use: { env?: true; files?: true }) {
    const study = new Study(target, await Stage.on(target), app, config);
    const applied = await target.kubectl(['apply', '-f', '-'], { stdin: manifest(target, app, config, use) });
    expect(applied.stderr).toBe('');
    await study.rolledOut();
    return study;
  }

  kubectl(...args: string[]): Promise<string> {
    return this.#stage.kubectl(...args);
  }

  rolledOut(): Promise<string> {
    return this.kubectl('rollout', 'status', `deployment/${this.#app}`, '--timeout=120s');
  }

  /** `kubectl get pods -l run=my-nginx -o=name` */
  async pod(): Promise<string> {
    const running = ['--field-selector=status.phase=Running', '-o=name'];
    const names = await this.kubectl('get', 'pods', '-l', `run=${this.#app}`, ...running);
    return names.trim().split('\n').at(-1) ?? '';
  }

  async exec(...command: string[]): Promise<string> {
    return (await this.kubectl('exec', await this.pod(), '--', ...command)).trim();
  }

  async edit(): Promise<void> {
    const env = { KUBE_EDITOR: 'sed -i -e s/INFO/DEBUG/' };
    const { code, stderr } = await this.#target.kubectl(['edit', 'configmap', this.#config], { env });
    expect([code, stderr]).toEqual([0, '']);
    const jsonpath = '--output=jsonpath={.data.log_level}';
    expect(await this.kubectl('get', 'configmap', this.#config, jsonpath)).toBe('DEBUG');
  }

  /** Forces a rollout as the study does, with an annotation of the template. */
  async force(): Promise<void> {
    const annotations = { 'version/config': '20180411' };
    const patch = JSON.stringify({ spec: { template: { metadata: { annotations } } } });
    await this.kubectl('patch', 'deployment', this.#app, '--patch', patch);
    await this.rolledOut();
  }
}

const options = { needs: 'kubectl', timeoutMs: patienceMs } as const;
const level = async (study: Study) =>
  (await study.exec('env')).split('\n').find((line) => line.startsWith('log_level='));

contract(
  'the hot-update study',
  (it) => {
    it(
      'an edit never reaches the environment of a pod that runs; a patch of the annotation rolls it',
      async (target) => {
        const study = await Study.begin(target, 'my-nginx', 'env-config', { env: true });
        expect(await level(study)).toBe('log_level=INFO');
        const before = await study.pod();
        await study.edit();
        expect(await level(study)).toBe('log_level=INFO');
        await study.force();
        await waitFor('the old pod to go', async () => {
          const now = await study.pod();
          return now === before ? { seen: now } : { met: true };
        });
        expect(await level(study)).toBe('log_level=DEBUG');
      },
      options,
    );

    it(
      'an edit reaches the files of a volume after a while, and never those of a subPath',
      async (target) => {
        const study = await Study.begin(target, 'my-files', 'special-config', { files: true });
        expect(await study.exec(...read('/etc/config/log_level'))).toBe('INFO');
        const before = await study.pod();
        await study.edit();
        await waitFor(
          'the volume to show the edit',
          async () => {
            const seen = await study.exec(...read('/etc/config/log_level'));
            return seen === 'DEBUG' ? { met: true } : { seen };
          },
          { timeoutMs: patienceMs - 20_000 },
        );
        expect(await study.pod()).toBe(before);
        expect(await study.exec(...read('/tmp/fixed/log_level'))).toBe('INFO');
      },
      options,
    );
  },
  { pods: 'real', timeoutMs: patienceMs },
);
