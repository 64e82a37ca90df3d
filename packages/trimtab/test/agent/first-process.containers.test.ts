import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { Then } from '@trimtab/test-bed/story/then.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { namespaceVariable } from './support/agent-container.ts';
import { agentImage } from './support/agent-image.ts';
import { ProgramScene } from './support/program-scene.ts';

interface Pod extends KubeObject {
  status?: { phase?: string; containerStatuses?: { state?: { terminated?: { exitCode: number } } }[] };
}

let engine: Engine;

beforeAll(async () => {
  engine = await currentEngine();
});
afterAll(() => engine?.close());

/** A pod whose first process is the agent, with a shell script as the application. */
function podRunning(script: string): KubeObject {
  const agent = { name: 'agent', mountPath: '/agent' };
  const spec = {
    serviceAccountName: 'config-reader',
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 30,
    volumes: [
      { name: 'agent', emptyDir: {} },
      { name: 'config', emptyDir: {} },
    ],
    initContainers: [
      { name: 'install', image: agentImage, args: ['--install-to=/agent'], volumeMounts: [agent] },
    ],
    containers: [
      {
        name: 'app',
        image: engine.images.node,
        command: ['/agent/trimtab-agent'],
        args: ['--configroot=/config', '--configmap=nginx', '--', 'sh', '-c', script],
        env: [namespaceVariable],
        volumeMounts: [agent, { name: 'config', mountPath: '/config' }],
      },
    ],
  };
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'app', labels: { app: 'app' } },
    spec,
  } as KubeObject;
}

test('the first process of a container reaps orphans, forwards TERM and gives the exit code', async () => {
  const it = await ProgramScene.open(engine);
  // Each subshell ends before its child, which the first process of the container inherits.
  const script = `
    trap 'echo asked to end; exit 7' TERM
    for n in 1 2 3 4 5; do (sleep 0.2 &); done
    while true; do sleep 0.1; done
  `;
  await it.when.applied(configMap('nginx', { a: '1' }), podRunning(script));
  const { name } = await it.readyPod('app');
  const states = () => it.when.kubectl('exec', name, '--', 'ps', '-o', 'pid,ppid,stat,args');
  await it.eventually('the orphans have ended and left no zombies', async () => {
    const seen = await states();
    // Every process but the agent and its application, by parent: the orphans are children of the agent.
    const orphans = seen.split('\n').filter((line) => /^\s*\d+\s+1\s/.test(line) && !line.includes('trap'));
    const isOver = orphans.length === 0;
    return isOver ? { met: seen } : { seen };
  });
  await it.when.kubectl('delete', 'pod', name, '--wait=false');
  const ended = await new Then(await engine.connect(), it.namespace).eventually<Pod>(
    'the container has ended',
    pods,
    name,
    ({ status }) => status?.containerStatuses?.[0]?.state?.terminated !== undefined,
  );
  expect(ended.status?.containerStatuses?.[0]?.state?.terminated?.exitCode).toBe(7);
});
