import { join } from 'node:path';
import { configMaps } from '@trimtab/kube/resource.ts';
import { currentEngine } from '@trimtab/test-bed/engines/engine.ts';
import { FaultProxy } from '@trimtab/test-bed/fault-proxy/server.ts';
import { configMap } from '@trimtab/test-bed/objects/config-map.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, expect, test } from 'vitest';
import { AgentProcess } from './support/agent-process.ts';
import { AgentScene } from './support/agent-scene.ts';

const engine = await currentEngine();
afterAll(() => engine.close());

/** An agent whose API server can be taken away. */
async function behindProxy(it: AgentScene) {
  const proxy = await FaultProxy.start({ access: await engine.access(), tls: true });
  const flags = await it.flags({ url: proxy.url, authority: proxy.authority });
  return {
    flags: [...flags, '--configmap=foo'],
    async takeAway(): Promise<{ bringBack(): void }> {
      const { retire } = proxy.inject({ fault: { kind: 'fail-before' }, when: { probability: 1 } });
      await proxy.breakWatches('cut');
      return { bringBack: retire };
    },
    [Symbol.asyncDispose]: () => proxy.close(),
  };
}

test('an API server that goes away and comes back: the files stay, and then follow again', async () => {
  await using it = await AgentScene.open(engine);
  await using server = await behindProxy(it);
  await it.given.objects(configMap('foo', { n: '1' }));
  await it.grantPrintedRole('--configmap=foo');
  await using agent = new AgentProcess([...server.flags, '--reload-exec=true', '--max-watch-failure=1s']);
  await agent.isReady();

  const outage = await server.takeAway();
  await it.edit('foo', { n: '2' });
  await waitFor('the dead watch is shown', async () => {
    const { status, body } = await agent.health('/healthz');
    return status === 503 ? { met: body } : { seen: body };
  }).then((body) => expect(body).toMatch(/watch of configmap \S+\/foo: \S+ for \d+ s/));
  expect((await agent.health('/readyz')).status).toBe(200);
  expect(it.files()).toEqual({ n: '1' });

  outage.bringBack();
  await it.eventuallyFiles({ n: '2' }, () => agent.log);
  await waitFor('healthy again', async () => {
    const { status, body } = await agent.health('/healthz');
    return status === 200 ? { met: true } : { seen: body };
  });
});

test('an agent that starts during an outage uses the files on disk, and says so', async () => {
  await using it = await AgentScene.open(engine);
  await using server = await behindProxy(it);
  await it.given.objects(configMap('foo', { n: '1' }));
  await it.grantPrintedRole('--configmap=foo');
  await using first = new AgentProcess([...server.flags, '--once']);
  expect(await first.ended, first.log).toBe(0);
  await it.edit('foo', { n: '2' });

  const outage = await server.takeAway();
  const app = [
    'node',
    '-e',
    'console.log("started"); process.on("SIGHUP", () => console.log("reloaded")); setInterval(() => {}, 1e6)',
  ];
  await using agent = new AgentProcess([...server.flags, '--start-timeout=200ms', '--', ...app], {
    env: { PATH: `${join(process.execPath, '..')}:${process.env['PATH']}` },
  });
  await agent.logs('configs are not available; using the files on disk');
  await agent.isReady();
  await waitFor('the application runs', async () =>
    agent.output.includes('started') ? { met: true } : { seen: agent.output },
  );
  expect(it.files()).toEqual({ n: '1' });

  outage.bringBack();
  await it.eventuallyFiles({ n: '2' }, () => agent.log);
  await waitFor('the application is told', async () =>
    agent.output.includes('reloaded') ? { met: true } : { seen: agent.output + agent.log },
  );
});

test('a config that does not exist yet, is deleted, and is created again', async () => {
  await using it = await AgentScene.open(engine);
  await it.grantPrintedRole('--configmap=foo');
  await using agent = new AgentProcess([...(await it.flags()), '--configmap=foo', '--reload-exec=true']);
  const { reason } = await agent.logs('waiting for configs');
  expect(reason).toBe(`configmap ${it.namespace}/foo does not exist`);
  expect((await agent.health('/readyz')).body).toContain('does not exist');
  expect((await agent.health('/healthz')).status).toBe(200);

  await it.given.objects(configMap('foo', { n: '1' }));
  await it.eventuallyFiles({ n: '1' }, () => agent.log);
  await it.when.deleted(configMaps, 'foo');
  await agent.logs('waiting for configs', 2);
  expect(it.files()).toEqual({ n: '1' });
  await it.given.objects(configMap('foo', { n: '2' }));
  await it.eventuallyFiles({ n: '2' }, () => agent.log);
});

test('an agent without rights says which object it may not read', async () => {
  await using it = await AgentScene.open(engine);
  await it.given.objects(configMap('foo', { n: '1' }));
  await using agent = new AgentProcess([...(await it.flags()), '--configmap=foo', '--reload-exec=true']);
  const { err } = await agent.logs('watch failed; retrying');
  expect(err).toMatchObject({ message: expect.stringContaining('configmaps "foo" is forbidden') });
  expect((await agent.health('/readyz')).body).toContain(`watch of configmap ${it.namespace}/foo: 403`);
  await it.grantPrintedRole('--configmap=foo');
  await it.eventuallyFiles({ n: '1' }, () => agent.log);
});
