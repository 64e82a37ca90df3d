import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { type ConfigMap, configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { secret } from '@trimtab/test-bed/objects/secret.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { AgentProcess } from './support/agent-process.ts';
import { AgentScene } from './support/agent-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

/** A server that counts reloads and refuses them while it is told to. */
async function reloadableServer() {
  const requests: string[] = [];
  const state = { status: 200 };
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url}`);
    response.writeHead(state.status).end(state.status === 200 ? 'ok' : 'unknown directive "listne"');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/-/reload`;
  return { requests, state, url, [Symbol.asyncDispose]: async () => void server.close() };
}

test('the command line of the document: files follow the ConfigMap, and each change is a POST', async () => {
  await using it = await AgentScene.open(engine);
  await using app = await reloadableServer();
  await it.given.objects(configMap('prometheus', { 'prometheus.yml': 'a: 1', 'old.yml': 'x' }));
  const config = `--configmap=${it.namespace}/prometheus`;
  await it.grantPrintedRole(config);
  await using agent = new AgentProcess([
    ...['--kubeconfig', await it.kubeconfig(), `--configroot=${it.root}`, config],
    ...[`--reload-http=${app.url}`, '--reload-http-method=POST'],
  ]);
  await agent.isReady();
  expect(it.files()).toEqual({ 'prometheus.yml': 'a: 1', 'old.yml': 'x' });

  await it.edit('prometheus', { 'prometheus.yml': 'a: 2', 'new.yml': 'y' });
  await it.eventuallyFiles({ 'prometheus.yml': 'a: 2', 'new.yml': 'y' }, () => agent.log);
  await agent.logs('config applied', 2);
  expect(app.requests).toEqual(['POST /-/reload', 'POST /-/reload']);
  expect((await agent.health('/healthz')).status).toBe(200);
  const metrics = (await agent.health('/metrics')).body;
  expect(metrics).toMatch(/^trimtab_agent_last_reload_successful 1$/m);
  expect(metrics).toMatch(/^trimtab_agent_reloads_total\{result="success"\} 2$/m);
  const { metadata } = await (await engine.connect()).get<ConfigMap>(configMaps, {
    namespace: it.namespace,
    name: 'prometheus',
  });
  expect(metrics).toContain(
    `trimtab_agent_config_info{kind="ConfigMap",namespace="${it.namespace}",name="prometheus",resource_version="${metadata.resourceVersion}"} 1`,
  );
});

test('a change that the application refuses is taken back, and /healthz fails until a good one arrives', async () => {
  await using it = await AgentScene.open(engine);
  await using app = await reloadableServer();
  await it.given.objects(configMap('foo', { conf: 'good' }));
  await it.grantPrintedRole('--configmap=foo');
  const flags = [...(await it.flags()), '--configmap=foo', `--reload-http=${app.url}`];
  await using agent = new AgentProcess(flags);
  await agent.isReady();

  app.state.status = 500;
  await it.edit('foo', { conf: 'bad' });
  const failure = await agent.logs(
    'config rejected; the application could not be returned to the last good files',
  );
  expect(failure['reason']).toBe(`POST ${app.url}: the response has status 500`);
  expect(failure['output']).toBe('unknown directive "listne"');
  expect(it.files()).toEqual({ conf: 'good' });
  expect(await agent.health('/healthz')).toMatchObject({
    status: 503,
    body: expect.stringContaining('the response has status 500'),
  });
  expect((await agent.health('/metrics')).body).toMatch(/^trimtab_agent_last_reload_successful 0$/m);

  app.state.status = 200;
  await it.edit('foo', { conf: 'better' });
  await it.eventuallyFiles({ conf: 'better' }, () => agent.log);
  await waitFor('healthy again', async () => {
    const { status, body } = await agent.health('/healthz');
    return status === 200 ? { met: true } : { seen: body };
  });
});

test('several configs in one folder: nested paths, a Secret, binary data, and the later flag wins', async () => {
  await using it = await AgentScene.open(engine);
  const binary = Buffer.from([0, 255, 10, 13, 128]);
  await it.given.objects(
    configMap('first', { shared: 'first', 'conf.d__site.conf': 'nested' }, (object) => {
      object.binaryData = { blob: binary.toString('base64') };
    }),
    secret('second', { shared: 'second', password: 'hunter2' }),
  );
  const configs = ['--configmap=first', '--secret=second'];
  await it.grantPrintedRole(...configs);
  const others = ['--nested-keys', '--path', 'password=keys/pw', '--file-mode=0600', '--reload-exec=true'];
  await using agent = new AgentProcess([...(await it.flags()), ...configs, ...others]);
  await agent.isReady();
  expect(it.files()).toEqual({
    shared: 'second',
    'conf.d/site.conf': 'nested',
    blob: binary.toString('utf8'),
    'keys/pw': 'hunter2',
  });
  expect(agent.log).toContain(`key 'shared' of secret ${it.namespace}/second replaces key 'shared'`);
  expect(agent.log).not.toContain('hunter2');
});

test('a key that leads out of the folder is refused, and the files stay', async () => {
  await using it = await AgentScene.open(engine);
  await it.given.objects(configMap('foo', { ok: '1' }));
  await it.grantPrintedRole('--configmap=foo');
  const flags = ['--configmap=foo', '--nested-keys', '--reload-exec=true'];
  await using agent = new AgentProcess([...(await it.flags()), ...flags]);
  await agent.isReady();
  await it.edit('foo', { 'a__..__..__x': 'escape', ok: '2' });
  const { reason } = await agent.logs('config could not be applied');
  expect(reason).toContain("the path 'a/../../x' contains '..'");
  expect(it.files()).toEqual({ ok: '1' });
  expect((await agent.health('/healthz')).status).toBe(503);
});

test('1 MiB in one key, and 500 keys', async () => {
  await using it = await AgentScene.open(engine);
  const large = { large: 'x'.repeat(1_000_000) };
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`key-${n}`, `value ${n}`]));
  await it.given.objects(configMap('large', large), configMap('many', many));
  const configs = ['--configmap=large', '--configmap=many'];
  await it.grantPrintedRole(...configs);
  await using agent = new AgentProcess([...(await it.flags()), ...configs, '--reload-exec=true']);
  await agent.isReady();
  expect(it.files()).toEqual({ ...large, ...many });
  await it.edit('many', { ...many, 'key-250': 'changed' });
  await it.eventuallyFiles({ ...large, ...many, 'key-250': 'changed' });
});

test('1,000 changes during slow reloads: reloads never overlap, and the last state wins', async () => {
  await using it = await AgentScene.open(engine);
  const log = join(it.scratch, 'reloads');
  await it.given.objects(configMap('foo', { n: '0' }));
  await it.grantPrintedRole('--configmap=foo');
  // A reload notes its begin and its end, with what it reads at both times.
  const script = `echo begin $(cat ${it.root}/n) >> ${log}; sleep 0.3; echo end $(cat ${it.root}/n) >> ${log}`;
  const flags = [...(await it.flags()), '--configmap=foo', `--reload-exec=sh -c '${script}'`];
  await using agent = new AgentProcess(flags);
  await agent.isReady();
  for (let n = 1; n <= 1_000; n++) await it.edit('foo', { n: String(n) });
  await it.eventuallyFiles({ n: '1000' });
  await waitFor('the last reload has ended', async () => {
    const text = readFileSync(log, 'utf8');
    return text.endsWith('end 1000\n') ? { met: true } : { seen: text.slice(-100) };
  });
  const lines = readFileSync(log, 'utf8').trim().split('\n');
  for (let i = 0; i < lines.length; i += 2) {
    const [begin = '', end = ''] = lines.slice(i, i + 2);
    expect([begin.split(' ')[0], end]).toEqual(['begin', begin.replace('begin', 'end')]);
  }
  expect(lines.length / 2).toBeLessThan(500);
});
