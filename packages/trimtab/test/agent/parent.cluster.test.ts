import { statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { AgentProcess } from './support/agent-process.ts';
import { AgentScene } from './support/agent-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

/** An application that prints its config when it starts and at each SIGHUP, and each other signal that it gets. */
const script = `
  const { readFileSync } = require('node:fs');
  const [, , root, code = '0'] = process.argv;
  const show = (why) => console.log(why, readFileSync(root + '/n', 'utf8'));
  process.on('SIGHUP', () => show('reloaded'));
  process.on('SIGUSR2', () => console.log('SIGUSR2'));
  process.on('SIGTERM', () => { console.log('SIGTERM'); process.exit(Number(code)); });
  setInterval(() => {}, 1e6);
  show('started');
`;

async function scene() {
  const it = await AgentScene.open(engine);
  await it.grantPrintedRole('--configmap=foo');
  const file = join(it.scratch, 'app.cjs');
  writeFileSync(file, script);
  const flags = [...(await it.flags()), '--configmap=foo'];
  return {
    it,
    start: (more: string[], ...args: string[]) =>
      new AgentProcess([...flags, ...more, '--', process.execPath, file, it.root, ...args]),
    [Symbol.asyncDispose]: () => it[Symbol.asyncDispose](),
  };
}

function prints(agent: AgentProcess, text: string): Promise<boolean> {
  return waitFor(`the application prints '${text}'`, async () =>
    agent.output.includes(text) ? { met: true } : { seen: agent.output + agent.log },
  );
}

test('the application starts with the first files, reloads by SIGHUP, and gives the exit code', async () => {
  await using stage = await scene();
  const { it, start } = stage;
  await using agent = start([], '42');
  await agent.logs('waiting for configs');
  expect(agent.output).toBe('');
  await it.given.objects(configMap('foo', { n: '1' }));
  await prints(agent, 'started 1');
  expect(statSync(join(it.root, 'n')).mode & 0o777).toBe(0o666);

  await it.edit('foo', { n: '2' });
  await prints(agent, 'reloaded 2');
  agent.signal('SIGUSR2');
  await prints(agent, 'SIGUSR2');
  agent.signal('SIGTERM');
  await prints(agent, 'SIGTERM');
  expect(await agent.ended).toBe(42);
});

test('an application that ends takes the agent with it', async () => {
  await using stage = await scene();
  await stage.it.given.objects(configMap('foo', {}));
  // There is no file n, so the application crashes at its start.
  await using agent = stage.start([]);
  expect(await agent.ended).toBe(1);
  expect(agent.lines('application ended')[0]).toMatchObject({ exitCode: 1 });
});

test('a program that does not exist ends the agent with the exit code of a shell', async () => {
  await using it = await AgentScene.open(engine);
  await it.grantPrintedRole('--configmap=foo');
  await it.given.objects(configMap('foo', { n: '1' }));
  await using agent = new AgentProcess([...(await it.flags()), '--configmap=foo', '--', '/no/such/program']);
  expect(await agent.ended).toBe(127);
  expect(agent.lines('application could not be started')[0]?.['reason']).toBe(
    'cannot start /no/such/program: ENOENT',
  );
});

test('files that a check refuses do not reach the application, and a restart starts with the last good ones', async () => {
  await using stage = await scene();
  const { it, start } = stage;
  await it.given.objects(configMap('foo', { n: 'good' }));
  const check = `--verify-exec=grep -q good ${it.root}/n`;
  await using agent = start([check]);
  await prints(agent, 'started good');
  await it.edit('foo', { n: 'bad' });
  const failure = await agent.logs('config rejected; the last good files are in place');
  expect(failure['reason']).toBe('grep ended with exit code 1');
  expect(it.files()).toEqual({ n: 'good' });
  expect(agent.output).not.toContain('reloaded');
  agent.signal('SIGTERM');
  await agent.ended;

  await using next = start([check]);
  await prints(next, 'started good');
  await next.isReady();
  expect((await next.health('/healthz')).status).toBe(503);
  await it.edit('foo', { n: 'good again' });
  await prints(next, 'reloaded good again');
});

test('health checks go through to the application', async () => {
  await using stage = await scene();
  let status = 200;
  const server = createServer((_, response) => response.writeHead(status).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  await stage.it.given.objects(configMap('foo', { n: '1' }));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/health`;
  await using agent = stage.start([`--app-health=${url}`]);
  await agent.isReady();
  expect((await agent.health('/healthz')).status).toBe(200);
  status = 503;
  const { status: got, body } = await agent.health('/healthz');
  expect([got, body]).toEqual([503, expect.stringContaining(`GET ${url}: the response has status 503`)]);
  server.close();
});
