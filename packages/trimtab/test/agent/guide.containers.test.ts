import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { haproxyAnswer, haproxyConf } from './support/apps.ts';
import { guideManifest } from './support/guide.ts';
import { Load } from './support/load.ts';
import { ProgramScene } from './support/program-scene.ts';

let engine: Engine;
let it: ProgramScene;

beforeAll(async () => {
  engine = await currentEngine();
  it = await ProgramScene.open(engine, 'nginx', 'postgres', 'haproxy', 'prometheus');
});
afterAll(() => engine?.close());

const nginxConf = (answer: string) => `
  error_log /dev/stderr;
  pid /tmp/nginx.pid;
  events {}
  http {
    access_log off;
    server {
      listen 8080;
      ${answer}
    }
  }
`;

test('nginx: a new file takes effect under load without a failed request, and a broken one is refused', async () => {
  await it.apply(guideManifest('nginx'));
  const { name, address } = await it.readyPod('nginx');
  const url = `http://${address}:8080/`;
  await it.answers(url, 'blue');

  const load = new Load(url);
  await it.edit('nginx', { 'nginx.conf': nginxConf('location / { return 200 "green\\n"; }') });
  await it.answers(url, 'green');
  await it.edit('nginx', { 'nginx.conf': nginxConf('locatoin / { return 200 "red\\n"; }') });
  const log = await it.logged(name, 'agent', 'config rejected; the last good files are in place');
  expect(log).toContain('unknown directive');
  await it.answers(url, 'green');
  await load.stop();
  expect(load.failures).toEqual([]);
  expect(new Set(load.answers)).toEqual(new Set(['blue', 'green']));
});

test('PostgreSQL: a parameter changes by a reload, in the same process', async () => {
  await it.apply(guideManifest('postgresql'));
  const { name } = await it.readyPod('postgresql');
  const ask = (sql: string) =>
    it.when.kubectl(
      'exec',
      name,
      '--',
      'psql',
      '-h',
      '/tmp',
      '-U',
      'postgres',
      '-d',
      'postgres',
      '-Atc',
      sql,
    );
  const started = await ask('SELECT pg_postmaster_start_time()');
  expect((await ask('SHOW work_mem')).trim()).toBe('4MB');
  const unchanged = "listen_addresses = '*'\nunix_socket_directories = '/tmp'\n";
  await it.edit('postgresql', { 'postgresql.conf': `${unchanged}work_mem = 9MB\n` });
  await it.eventually('work_mem is 9MB', async () => {
    const seen = (await ask('SHOW work_mem')).trim();
    return seen === '9MB' ? { met: true } : { seen };
  });
  expect(await ask('SELECT pg_postmaster_start_time()')).toBe(started);
});

test('HAProxy: SIGUSR2 reaches the master, and a broken file is refused', async () => {
  await it.apply(guideManifest('haproxy'));
  const { name, address } = await it.readyPod('haproxy');
  const url = `http://${address}:8080/`;
  await it.answers(url, 'blue');
  await it.edit('haproxy', { 'haproxy.cfg': haproxyConf(haproxyAnswer('green')) });
  await it.answers(url, 'green');
  await it.edit('haproxy', { 'haproxy.cfg': haproxyConf('http-request retrun status 200') });
  await it.logged(name, 'agent', 'config rejected; the last good files are in place');
  await it.answers(url, 'green');
});

test('Prometheus: reloads over HTTP, and refuses an invalid file itself', async () => {
  await it.apply(guideManifest('prometheus'));
  const { name, address } = await it.readyPod('prometheus');
  const url = `http://${address}:9090/api/v1/status/config`;
  await it.edit('prometheus', { 'prometheus.yml': 'global:\n  scrape_interval: 33s\n' });
  await it.answers(url, /scrape_interval: 33s/);
  await it.edit('prometheus', { 'prometheus.yml': 'global:\n  scrape_intreval: 44s\n' });
  const log = await it.logged(name, 'agent', 'config rejected; the last good files are in place');
  expect(log).toContain('scrape_intreval');
  await it.answers(url, /scrape_interval: 33s/);
  const health = await fetch(`http://${address}:8082/healthz`);
  expect(health.status).toBe(503);
  expect((await fetch(`http://${address}:8082/readyz`)).status).toBe(200);
});
