import { deployments } from '@trimtab/kube/resource.ts';
import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Load } from '../agent/support/load.ts';
import { BehindProxy } from '../support/behind-proxy.ts';
import type { ControllerProcess } from '../support/controller-process.ts';
import { lineOf } from '../support/settled.ts';
import { RealReload } from './support/real-reload.ts';
import { ReloadedApp } from './support/reloaded-app.ts';
import { readAtSignal, servedText } from './support/served-text.ts';

let engine: Engine;

beforeAll(async () => {
  engine = await currentEngine();
});
afterAll(() => engine?.close());

const container = () => servedText(engine, readAtSignal('/etc/foo/color', 'SIGUSR1'));

async function killGateway({ gateway }: RealReload): Promise<void> {
  gateway.signal('SIGKILL');
  await gateway.ended;
}

test('gateway, API server and controller go away in turn: no request fails, and each change arrives later', {
  timeout: 240_000,
}, async () => {
  await using cluster = await BehindProxy.start(engine);
  await using real = await RealReload.open(cluster.engine);
  const { it } = real;
  const app = await ReloadedApp.start(real, 'web', { containers: [container()], replicas: 2 });
  const loads = app.urls.map((url) => new Load(url, 1));
  /** The number of answers of all pods; grows while they serve. */
  const answered = () => loads.reduce((sum, { answers }) => sum + answers.length, 0);

  const outages = [
    {
      text: 'green',
      away: () => killGateway(real),
      back: () => real.gatewayStarts(),
    },
    {
      text: 'red',
      away: () => cluster.takeAway(),
      back: async () => cluster.bringBack(),
    },
    {
      text: 'white',
      away: () => (it.controller as ControllerProcess).kill(),
      back: () => it.controllerRestarts(),
    },
  ];
  for (const [index, { text, away, back }] of outages.entries()) {
    await away();
    const before = answered();
    await app.edit(text);
    await expect.poll(answered, { timeout: 30_000 }).toBeGreaterThan(before + 100);
    expect(loads.flatMap(({ answers }) => answers)).not.toContain(text);
    await back();
    await app.serves(text);
    await app.settled(`1.0.${index + 1}`);
  }
  for (const load of loads) await load.stop();
  expect(loads.flatMap(({ failures }) => failures)).toEqual([]);
  expect(new Set(loads.flatMap(({ answers }) => answers))).toEqual(
    new Set(['blue', 'green', 'red', 'white']),
  );
  await app.keepsRunning();
});

test('a pod that is born while the gateway is away starts, and gets the newer version when it is back', async () => {
  await using real = await RealReload.open(engine);
  const { it } = real;
  const app = await ReloadedApp.start(real, 'web', { containers: [container()] });
  await killGateway(real);

  await it.when.scaled(deployments, 'web', 2);
  const pods = await real.readyPods('web', 2);
  const born = pods.find(({ name }) => name !== app.pods[0]?.name);
  const url = `http://${born?.address}:8080/`;
  await real.answers(url, 'blue');
  await app.edit('green');
  await it.rolloutIs(
    '1.0.1 waits for acknowledgements',
    (status) => status.target?.version === '1.0.1' && lineOf(status, 'web')?.updated === 0,
    'configmap-web',
  );
  await real.answers(url, 'blue');

  await real.gatewayStarts();
  await real.answers(url, 'green');
  await app.serves('green');
  await app.settled('1.0.1');
  expect(await real.readyPods('web', 2)).toEqual(pods);
});
