import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { KubeClient } from '@trimtab/kube/client.ts';
import { freePort } from '@trimtab/kube/http/free-port.ts';
import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { type InjectedPod, injected } from 'trimtab/api/injected-pod.ts';
import { podToken } from '../packages/trimtab/test/gateway/support/pod-token.ts';
import { BenchError } from './bench-error.ts';

const program =
  process.env['TRIMTAB_AGENT_PROGRAM'] ?? path.resolve(import.meta.dirname, '../dist/trimtab-agent');

interface Pod extends KubeObject {
  spec: { initContainers?: { name: string; env?: { name: string; value?: string }[] }[] };
}

/**
 * Runs the compiled agent of an injected pod that KWOK simulates. The agent has the environment of its container, and the
 * volumes of the pod in its own mount namespace.
 */
export async function startInjectedAgent(
  client: KubeClient,
  namespace: string,
  app: string,
  birth: Record<string, string>,
): Promise<{ stop(): Promise<void> }> {
  if (!existsSync(program))
    throw new BenchError(`${program} does not exist. Build the agent with \`npm run build:agent\`.`);
  const pod = await injectedPod(client, namespace, app);
  const container = pod.spec.initContainers?.find(({ name }) => name === injected.container);
  const env = Object.fromEntries(
    (container?.env ?? []).flatMap(({ name, value }) => (value ? [[name, value]] : [])),
  );
  const work: InjectedPod = JSON.parse(env[injected.env.pod] ?? '{}');
  const root = path.dirname(injected.paths.public);
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-pod-'));
  const inFolder = (file: string) => path.join(folder, path.relative(root, file));
  for (const { birthPath } of work.configs) {
    mkdirSync(inFolder(birthPath), { recursive: true });
    for (const [key, value] of Object.entries(birth))
      writeFileSync(inFolder(path.join(birthPath, key)), value);
  }
  for (const each of [
    injected.paths.private,
    injected.paths.public,
    ...work.volumes.map(({ path: its }) => its),
  ])
    mkdirSync(inFolder(each), { recursive: true });
  mkdirSync(path.dirname(inFolder(injected.paths.identityToken)), { recursive: true });
  writeFileSync(inFolder(injected.paths.identityToken), await podToken(client, pod));
  const script = `mkdir -p ${root} && mount --bind "$1" ${root} && exec "$2"`;
  const child = spawn('unshare', ['--mount', 'sh', '-c', script, 'sh', folder, program], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...env,
      PATH: process.env['PATH'],
      POD_IP: '127.0.0.1',
      POD_IPS: '127.0.0.1',
      POD_NAMESPACE: namespace,
      [injected.env.healthPort]: String(await freePort()),
    },
  });
  let log = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    log = (log + text).slice(-5_000);
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  while (!existsSync(inFolder(path.join(injected.paths.public, injected.files.token)))) {
    if (child.exitCode !== null) throw new BenchError(`the agent ended: ${log}`);
    await delay(5);
  }
  return {
    async stop() {
      child.kill('SIGTERM');
      await Promise.race([ended, delay(15_000)]);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function injectedPod(client: KubeClient, namespace: string, app: string): Promise<Pod> {
  for (;;) {
    const { items } = await client.list<Pod>(pods, { namespace, labelSelector: `app=${app}` });
    const [pod] = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    if (pod !== undefined) return pod;
    await delay(20);
  }
}
