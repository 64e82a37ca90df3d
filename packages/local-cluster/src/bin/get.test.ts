import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadAccess } from '@trimtab/kube/identity/load-access.ts';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { configMaps } from '@trimtab/kube/resource.ts';
import { httpClient } from '@trimtab/kube/transport/http-client.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ApiServer } from '../apiserver/server.ts';
import { startLocalCluster } from '../local-cluster.ts';

const key = '/registry/configmaps/default/nginx-config';
const conf = 'worker_processes 1;\n\nevents { worker_connections 1024; }\n';

let stateDir: string;
let cluster: ApiServer;

beforeAll(async () => {
  stateDir = await mkdtemp(join(tmpdir(), 'test-get-'));
  cluster = await startLocalCluster({ stateDir, port: 0, log: silentLogger });
  const access = await loadAccess({ kubeconfig: cluster.kubeconfigFile });
  const client = httpClient({ access, log: silentLogger });
  await client.create(configMaps, {
    metadata: { namespace: 'default', name: 'nginx-config' },
    data: { 'nginx.conf': conf },
  });
  client.close();
});

afterAll(async () => {
  await cluster.close();
  await rm(stateDir, { recursive: true, force: true });
});

function get(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const program = join(import.meta.dirname, 'local-cluster.ts');
  return new Promise((resolve) => {
    execFile(process.execPath, [program, 'get', '--state-dir', stateDir, ...args], (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    );
  });
}

test('the study of hot updates reads nginx.conf from the store, while the cluster runs and after', async () => {
  const running = await get(key, '-w', 'json');
  expect(running).toMatchObject({ code: 0, stderr: '' });
  const { header, kvs, count } = JSON.parse(running.stdout);
  expect(Object.keys(header)).toEqual(['cluster_id', 'member_id', 'revision', 'raft_term']);
  expect(Object.keys(kvs[0])).toEqual(['key', 'create_revision', 'mod_revision', 'version', 'value']);
  expect(count).toBe(1);
  expect(atob(kvs[0].key)).toBe(key);
  expect(atob(kvs[0].value)).toMatch(/^k8s\0/);
  expect(atob(kvs[0].value)).toContain(conf);
  await cluster.close();
  const stopped = await get(key, '-w', 'json');
  cluster = await startLocalCluster({ stateDir, port: 0, log: silentLogger });
  expect(stopped.stderr).toBe('');
  expect(JSON.parse(stopped.stdout).kvs).toEqual(kvs);
});

test('keys are listed by their prefix', async () => {
  const { code, stdout } = await get('/registry/configmaps/default/', '--prefix', '--keys-only');
  expect(code).toBe(0);
  expect(stdout).toContain(`${key}\n\n`);
});

test('a key that does not exist is no error, as with etcdctl, and standard error says so', async () => {
  expect(await get('/registry/nope')).toEqual({
    code: 0,
    stdout: '',
    stderr: 'key /registry/nope does not exist in the store\n',
  });
});

test('flags that contradict each other are a usage error', async () => {
  const { code, stderr } = await get(key, '--print-value-only', '-w', 'json');
  expect(code).toBe(2);
  expect(stderr).toContain('--print-value-only requires --write-out simple');
});
