import { freePort } from '@trimtab/kube/http/free-port.ts';
import { waitFor } from '@trimtab/test-bed/watching/wait-for.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { containerOf, KubeletStage, script } from '../../test/support/kubelet-stage.ts';
import { localPortsAnnotation, localPortsOf } from '../objects/local-ports.ts';
import type { Container, Pod } from '../objects/pod.ts';

const shared = { way: 'shared', because: 'a test' } as const;
let stage: KubeletStage;
beforeAll(async () => {
  stage = await KubeletStage.open({ addresses: shared });
});
afterAll(() => stage.close());

const listen = (port: string) =>
  `require('node:http').createServer((_, response) => response.end(process.env.HOSTNAME_OF_TEST + ' ' + process.env.PORT)).listen(${port}, '127.0.0.1')`;

/** A web server that declares `port`. It listens on $PORT, or on `where`. */
function web(name: string, port: number, where = 'process.env.PORT'): Container {
  return {
    name: 'app',
    image: 'node',
    command: [process.execPath, '-e', listen(where)],
    env: [{ name: 'HOSTNAME_OF_TEST', value: name }],
    ports: [{ name: 'web', containerPort: port }],
    readinessProbe: { httpGet: { port: 'web' }, periodSeconds: 1 },
    livenessProbe: { tcpSocket: { port }, initialDelaySeconds: 1, periodSeconds: 1, failureThreshold: 30 },
  };
}

const portOf = (pod: Pod, port: number) => localPortsOf(pod.metadata).get(port) ?? 0;
const answerAt = async (port: number) => (await fetch(`http://127.0.0.1:${port}/`)).text();

describe('where pods share 127.0.0.1', () => {
  test('two of them want the same port, and both are Ready and reached', async () => {
    const names = await Promise.all(
      ['one', 'other'].map((each) => stage.run({ containers: [web(each, 8080)] })),
    );
    const pods = await Promise.all(names.map((name) => stage.untilReady(name)));
    expect(pods.map(({ status }) => [status?.podIP, status?.hostIP])).toEqual([
      ['127.0.0.1', '127.0.0.1'],
      ['127.0.0.1', '127.0.0.1'],
    ]);
    const [one, other] = pods.map((pod) => portOf(pod, 8080));
    expect(one).not.toBe(other);
    expect(await answerAt(one ?? 0)).toBe(`one ${one}`);
    expect(await answerAt(other ?? 0)).toBe(`other ${other}`);
    for (const name of names) await stage.delete(name, 0);
  });

  test('a container that is started again has the port that it had', async () => {
    const container = script(
      'echo "at $PORT $PORT_WEB $PORT_80"; [ -e once ] && exec sleep 600; touch once; exit 1',
      {
        ports: [{ name: 'web', containerPort: 80 }],
      },
    );
    const name = await stage.run({ containers: [container] });
    const pod = await stage.until(name, 'runs again', (each) => {
      const { restartCount, state } = containerOf(each);
      return restartCount === 1 && state.running !== undefined;
    });
    const port = portOf(pod, 80);
    expect(port).toBeGreaterThan(0);
    expect(await stage.log(name, { previous: true })).toBe(`at ${port} ${port} ${port}\n`);
    // A container runs before its program has printed anything.
    const printed = await waitFor('the program to print its port', async () => {
      const text = await stage.log(name);
      return text.endsWith('\n') ? { met: text } : { seen: text };
    });
    expect(printed).toBe(`at ${port} ${port} ${port}\n`);
    await stage.delete(name, 0);
  });

  test('a program that takes the port of its manifest: the second one crashes, and is told what to do', async () => {
    const taken = await freePort();
    const stubborn = web('stubborn', taken, String(taken));
    const { readinessProbe: _, livenessProbe: __, ...container } = stubborn;
    const first = await stage.run({ containers: [container] });
    // Without a probe the pod is Ready before its program listens.
    await waitFor('the first one to listen', async () =>
      answerAt(taken).then(
        (answer) => ({ met: answer }),
        (error: unknown) => ({ seen: String(error) }),
      ),
    );
    const second = await stage.run({ containers: [container] });
    const pod = await stage.until(second, 'has crashed', (each) => containerOf(each).restartCount > 0);
    const events = await stage.untilEvent(second, 'PortInUse');
    expect(events.find((each) => each.startsWith('PortInUse'))).toContain(
      `$PORT (${portOf(pod, taken)}), not ${taken}`,
    );
    for (const name of [first, second]) await stage.delete(name, 0);
  });

  test('a hook asks the container where it is', async () => {
    const lifecycle = { preStop: { httpGet: { port: 8080, path: '/bye' } } };
    const name = await stage.run({ containers: [{ ...web('hooked', 8080), lifecycle }] });
    await stage.untilReady(name);
    await stage.delete(name, 5);
    await stage.untilGone(name);
    expect((await stage.events(name)).filter((each) => each.includes('FailedPreStopHook'))).toEqual([]);
  });

  test('after a restart of the kubelet a pod is where it was; with addresses of its own it has one', async () => {
    const name = await stage.run({ containers: [web('lasting', 8080)] });
    const before = portOf(await stage.untilReady(name), 8080);
    const startsAgain = (starts: number) =>
      stage.until(name, 'is Ready again', ({ status }) => {
        const [app] = status?.containerStatuses ?? [];
        return app?.restartCount === starts && app.ready;
      });
    await stage.restart();
    expect(portOf(await startsAgain(1), 8080)).toBe(before);
    expect(await answerAt(before)).toBe(`lasting ${before}`);
    await stage.restart({ addresses: { way: 'own' } });
    const own = await stage.until(name, 'has an address of its own', ({ status }) =>
      Boolean(status?.podIP && status.podIP !== '127.0.0.1'),
    );
    expect(own.status?.podIPs).toEqual([{ ip: own.status?.podIP }]);
    expect(own.metadata.annotations ?? {}).not.toHaveProperty(localPortsAnnotation);
    await stage.restart({ addresses: shared });
    const again = await stage.until(name, 'shares again', ({ status }) => status?.podIP === '127.0.0.1');
    expect(portOf(again, 8080)).toBeGreaterThan(0);
    await stage.delete(name, 0);
  });
});
