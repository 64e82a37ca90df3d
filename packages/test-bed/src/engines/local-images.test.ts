import { pods } from '@trimtab/kube/resource.ts';
import type { KubeObject } from '@trimtab/kube/wire.ts';
import { describe, expect, test } from 'vitest';
import { waitFor } from '../watching/wait-for.ts';
import { openLocalEngine, openLocalEngineWithNode } from './local-engine.ts';
import { LocalImages } from './local-images.ts';

const everything = (name: string) => name;

describe('the image of a program on the local cluster', () => {
  test('is the program of this machine', async () => {
    const local = new LocalImages({}, { uid: 1000, find: everything });
    expect(await local.loadProgramImage('nginx')).toBe('nginx:1.22');
    expect(local.images.get('nginx:1.22')).toEqual({
      entrypoint: [],
      cmd: ['/usr/sbin/nginx', '-g', 'daemon off;'],
    });
    expect(await local.loadProgramImage('prometheus')).toBe('prom/prometheus:v2.42.0');
    expect(local.images.get('prom/prometheus:v2.42.0')).toMatchObject({ entrypoint: ['/bin/prometheus'] });
  });

  test('runs as another account when the program refuses root', async () => {
    const commandAs = async (uid: number) => {
      const local = new LocalImages({}, { uid, find: everything });
      return local.images.get(await local.loadProgramImage('postgres'))?.cmd.join(' ');
    };
    expect(await commandAs(1000)).toBe('/usr/lib/postgresql/15/bin/postgres');
    expect(await commandAs(0)).toBe(
      'setpriv --reuid=postgres --regid=postgres --clear-groups -- /usr/lib/postgresql/15/bin/postgres',
    );
  });

  test('names the package that is missing and the command that installs it', async () => {
    const local = new LocalImages({}, { uid: 0, find: () => undefined });
    await expect(local.loadProgramImage('haproxy')).rejects.toThrow(
      'image haproxy:2.6 needs the Debian package haproxy, which is not installed. ' +
        'Install: apt-get update && apt-get install -y --no-install-recommends haproxy',
    );
    expect(local.images.get('haproxy:2.6')).toBeUndefined();
  });

  test('needs a node', async () => {
    const engine = await openLocalEngine();
    try {
      await expect(engine.loadProgramImage('nginx')).rejects.toThrow('openLocalEngineWithNode');
    } finally {
      await engine.close();
    }
  });
});

interface Pod extends KubeObject {
  spec: object;
  status?: { phase?: string; containerStatuses?: { state: { terminated?: { message?: string } } }[] };
}

test('a binary runs as the entrypoint of its image, and at its paths with any image', async () => {
  const program = (name: string) => [
    process.execPath,
    '-e',
    `console.log('${name}', ...process.argv.slice(1)); process.exit(1)`,
    '--',
  ];
  const engine = await openLocalEngineWithNode({ programs: new Map([['/test-given', program('given')]]) });
  try {
    const namespace = await engine.namespace();
    await engine.loadBinaryImage({
      names: ['test/agent:1', 'test/alias:latest'],
      binary: '/no/such/binary',
      paths: ['/test-srv/agent', '/test-agent'],
      locally: program('agent'),
    });
    const client = await engine.connect();
    const saidBy = async (name: string, container: object) => {
      const app = { name: 'app', terminationMessagePolicy: 'FallbackToLogsOnError', ...container };
      await client.create<Pod>(pods, {
        metadata: { namespace, name },
        spec: { restartPolicy: 'Never', containers: [app] },
      });
      return waitFor(`${name} has ended`, async () => {
        const { status } = await client.get<Pod>(pods, { namespace, name });
        if (status?.phase !== 'Failed') return { seen: JSON.stringify(status) };
        return { met: status.containerStatuses?.[0]?.state.terminated?.message };
      });
    };
    expect(await saidBy('entrypoint', { image: 'test/agent:1', args: ['a'] })).toBe('agent a\n');
    expect(await saidBy('alias', { image: 'test/alias:latest', args: ['b'] })).toBe('agent b\n');
    expect(await saidBy('path', { image: 'test/agent:1', command: ['/test-srv/agent', 'c'] })).toBe(
      'agent c\n',
    );
    expect(await saidBy('link', { image: 'shop/web:1', command: ['/test-agent', 'd'] })).toBe('agent d\n');
    expect(await saidBy('given', { image: 'shop/web:1', command: ['/test-given', 'e'] })).toBe('given e\n');
  } finally {
    await engine.close();
  }
});
