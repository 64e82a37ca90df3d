import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps, pods } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { isThere } from '@trimtab/local-cluster/kubelet/runtime/process-identity.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { describe, expect, test } from 'vitest';
import { demoChanges } from '../up/demo-changes.ts';
import { UpProcess } from './up-process.ts';

interface Pod extends KubeObject {
  status?: { podIP?: string; conditions?: { type: string; status: string }[] };
}

const connect = async (up: UpProcess, context?: string) =>
  httpClient({
    access: await loadAccess({ kubeconfig: up.kubeconfig, ...(context && { context }) }),
    log: silentLogger,
  });

const patience = { timeoutMs: 60_000 };
const isReady = ({ status }: Pod) =>
  status?.conditions?.some(({ type, status: is }) => type === 'Ready' && is === 'True') ?? false;

/** Retries, because a pod that is being replaced may close the connection. */
async function shows(demo: string, colour: string): Promise<void> {
  const look = async () => {
    const answer = await fetch(`${demo}/self`);
    return ((await answer.json()) as { colour: string }).colour;
  };
  await waitFor(
    `the demo to be ${colour}`,
    async () => {
      const seen = await look().catch((error: unknown) => String(error));
      return seen === colour ? { met: true } : { seen };
    },
    patience,
  );
}

describe('npm start', { timeout: 180_000 }, () => {
  test('shows the demo rolling, failing and undoing, survives kill -9, and stops without a trace', async () => {
    await using up = await UpProcess.inFolder();
    await up.start('--port', '0');
    expect(up.output, '--port 0 frees the port of the gateway, too').not.toContain(':7444');
    const client = await connect(up);
    const demo = /demo +(http:\S+)/.exec(up.output)?.[1] ?? '';
    const all = async () => (await client.list<Pod>(pods, { namespace: 'default' })).items;
    await shows(demo, 'blue');
    expect(await (await fetch(demo)).text()).toContain('<title>Trimtab demo</title>');
    expect(statSync(up.kubeconfig).mode & 0o777).toBe(0o600);

    const keys = demoChanges(client);
    await up.prints('demo 1.0.0: current');
    expect(await keys.g()).toBe('default demo: colour set to green');
    await up.prints(/demo 1\.0\.1: current after \d+ s/);
    expect(await keys.b()).toBe('default demo: colour set to blurple');
    await up.prints(/demo 1\.0\.2: rolled back after \d+ s: .*exit code 1: colour 'blurple' unknown/);
    expect(await keys.u()).toBe('default demo: version 1.0.0 requested');
    await up.prints(/demo 1\.0\.0: current after \d+ s/);
    await shows(demo, 'blue');

    const gateway = await connect(up, 'trimtab-gateway');
    const current = await gateway.raw<{ metadata: { version: string } }>({
      method: 'GET',
      path: '/api/v1/namespaces/default/configmaps/demo/current',
    });
    expect(current.metadata.version).toBe('1.0.0');

    const second = await UpProcess.inFolder();
    await using _ = second;
    Object.assign(second, { stateDir: up.stateDir });
    expect(await second.run()).toBe(1);
    expect(second.errors).toContain(`${up.stateDir} is in use by process ${up.pid}`);

    const before = (await all()).map(({ metadata }) => metadata.uid).sort();
    await up.end('SIGKILL');
    client.close();
    gateway.close();
    await up.start();
    const again = await connect(up);
    await waitFor(
      'its pods to be back',
      async () => {
        const { items } = await again.list<Pod>(pods, { namespace: 'default' });
        return items.length === 3 && items.every(isReady) ? { met: true } : { seen: `${items.length} pods` };
      },
      patience,
    );
    const { items } = await again.list<Pod>(pods, { namespace: 'default' });
    expect(items.map(({ metadata }) => metadata.uid).sort()).toEqual(before);
    again.close();
    // The status of a pod may date from before the kill, so the processes are checked instead.
    const processes = await waitFor('their programs to run', async () => {
      const alive = up.containers().filter((each) => isThere(each));
      return alive.length === 3 ? { met: alive } : { seen: `${alive.length}` };
    });
    expect(await up.end('SIGINT')).toBe(0);
    expect(processes.filter((each) => isThere(each))).toEqual([]);
  });

  test('a second signal ends it at once, with a pod that does not want to go', async () => {
    await using up = await UpProcess.inFolder();
    const file = join(up.stateDir, 'stubborn.yaml');
    // The pod becomes Ready only after it ignores TERM.
    const sh = (script: string) => ['sh', '-c', `AT="\${POD_ROOT:-}"; ${script}`];
    const container = {
      name: 'app',
      image: 'busybox',
      command: sh('trap "" TERM; touch "$AT/shared/deaf"; while :; do sleep 1; done'),
      readinessProbe: {
        exec: { command: sh('[ -e "$AT/shared/deaf" ]') },
        periodSeconds: 1,
        timeoutSeconds: 10,
      },
      volumeMounts: [{ name: 'shared', mountPath: '/shared' }],
    };
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'stubborn' },
      spec: { containers: [container], volumes: [{ name: 'shared', emptyDir: {} }] },
    };
    writeFileSync(file, JSON.stringify(pod));
    await up.start('--no-demo', '-f', file);
    const client = await connect(up);
    await waitFor(
      'it to run',
      async () => {
        const found = await client.get<Pod>(pods, { namespace: 'default', name: 'stubborn' });
        return isReady(found) ? { met: true } : { seen: JSON.stringify(found.status) };
      },
      patience,
    );
    client.close();
    const processes = up.containers();
    expect(processes.filter((each) => isThere(each))).toHaveLength(1);
    const ended = up.end('SIGINT');
    await waitFor('it to stop', async () =>
      readFileSync(join(up.stateDir, 'up.log'), 'utf8').includes('signal received; shutting down')
        ? { met: true }
        : { seen: 'nothing' },
    );
    process.kill(up.pid, 'SIGINT');
    expect(await ended).toBe(130);
    await waitFor('the pod to end', async () =>
      processes.some((each) => isThere(each)) ? { seen: 'it runs' } : { met: true },
    );
  });

  test('applies manifests of one’s own, without the demo if wanted', async () => {
    await using up = await UpProcess.inFolder();
    const file = join(up.stateDir, 'mine.yaml');
    writeFileSync(file, 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mine\ndata:\n  a: b\n');
    await up.start('--no-demo', '-f', file);
    const client = await connect(up);
    expect(await client.get(configMaps, { namespace: 'default', name: 'mine' })).toMatchObject({
      data: { a: 'b' },
    });
    expect((await client.list(pods, { namespace: 'default' })).items).toEqual([]);
    client.close();
    expect(await up.end('SIGTERM')).toBe(0);
    await up.start('--no-demo', '--fresh');
    const fresh = await connect(up);
    await expect(fresh.get(configMaps, { namespace: 'default', name: 'mine' })).rejects.toThrow(/not found/);
    fresh.close();
  });

  test.each([
    [
      'a manifest that is not there',
      ['-f', 'no-such-file.yaml'],
      /no-such-file\.yaml: cannot read the file \(ENOENT\)/,
    ],
    ['an image that names no program', ['--image', 'nginx'], /--image: 'nginx' is not of the form/],
    ['a flag that is not known', ['--dmeo'], /--dmeo/],
  ])('refuses %s, and says why', async (_, flags, message) => {
    await using up = await UpProcess.inFolder();
    expect(await up.run(...flags)).toBe(2);
    expect(up.errors).toMatch(message);
  });

  test.each(['--port', '--gateway-port'])(
    '%s on a port that is taken: the error names the flag',
    async (flag) => {
      const taken = createServer().listen(0, '127.0.0.1');
      await once(taken, 'listening');
      const { port } = taken.address() as AddressInfo;
      await using up = await UpProcess.inFolder();
      expect(await up.run('--no-demo', flag, `${port}`)).toBe(1);
      expect(up.errors).toContain(`cannot listen on 127.0.0.1, port ${port}: another process uses the port.`);
      expect(up.errors).toContain(`Set the port with ${flag}.`);
      taken.close();
    },
  );
});

test('its help has examples', async () => {
  const child = spawn(process.execPath, ['demo/main.ts', '--help']);
  let text = '';
  child.stdout.on('data', (part) => {
    text += part;
  });
  await new Promise((resolve) => child.on('close', resolve));
  expect(text).toContain('npm start -- --no-demo -f app.yaml');
});
