import { request } from 'node:https';
import { connect, type TLSSocket } from 'node:tls';
import { expect } from 'vitest';
import { contract } from '../contract.ts';
import { configMap } from '../objects.ts';
import type { Target } from '../target.ts';
import { openWatch, told } from '../watch.ts';

const patience = { timeoutMs: 60_000 };
const labelled = (set: string, name: string, more: object = {}) => configMap({ name, labels: { set } }, more);

/** Opens a TLS connection to the API server without sending a request. */
async function socket({ api }: Target): Promise<TLSSocket> {
  const { host, port, ca, cert, key } = await api.options({ path: '/' });
  return new Promise((resolve, reject) => {
    const opened = connect({ host: String(host), port: Number(port), ca, cert, key }, () => resolve(opened));
    opened.on('error', reject);
  });
}

/** Returns a TLS session to resume, which saves a thousand full handshakes, the larger part of the test's time. */
async function ticket(target: Target): Promise<Buffer> {
  const opened = await socket(target);
  const session = await new Promise<Buffer>((resolve) => opened.once('session', resolve));
  opened.destroy();
  return session;
}

contract('floods', (it) => {
  it(
    'a thousand watches at once are all told',
    async (target) => {
      const { api, core } = target;
      const options = await api.options({
        path: `${core('configmaps')}?watch=true&timeoutSeconds=60&labelSelector=set%3Dcrowd`,
      });
      const session = await ticket(target);
      const watches = [];
      for (let n = 0; n < 1000; n += 20)
        watches.push(
          ...(await Promise.all(Array.from({ length: 20 }, () => openWatch({ ...options, session })))),
        );
      await api.post(core('configmaps'), labelled('crowd', 'news'));
      const seen = await Promise.all(watches.map(async (watch) => told(await watch.next(1))[0]));
      expect(seen.filter((each) => each === 'ADDED news')).toHaveLength(1000);
      for (const watch of watches) await watch[Symbol.asyncDispose]();
      expect((await api.get(core('configmaps/news'))).code).toBe(200);
    },
    patience,
  );

  it(
    'a client that never reads holds nobody up',
    async (target) => {
      const { api, core } = target;
      const options = await api.options({
        path: `${core('configmaps')}?watch=true&timeoutSeconds=60&labelSelector=set%3Dstalled`,
      });
      const stalled = request({ ...options, agent: false });
      const opened = new Promise<void>((resolve, reject) => {
        stalled.on('error', reject);
        stalled.on('response', (response) => {
          response.on('error', () => {});
          response.pause();
          resolve();
        });
      });
      stalled.end();
      await opened;
      await using reader = await api.watch(core('configmaps'), { labelSelector: 'set=stalled' });
      const names = Array.from({ length: 30 }, (_, n) => `stalled-${n}`);
      for (const name of names) {
        const { code } = await api.post(
          core('configmaps'),
          labelled('stalled', name, { data: { a: 'x'.repeat(500_000) } }),
        );
        expect(code).toBe(201);
      }
      expect(told(await reader.next(names.length))).toEqual(names.map((name) => `ADDED ${name}`));
      stalled.on('error', () => {});
      stalled.destroy();
    },
    patience,
  );

  it('clients that send their headers drop by drop hold nobody up', async (target) => {
    const sockets = await Promise.all(Array.from({ length: 50 }, () => socket(target)));
    for (const [n, each] of sockets.entries()) {
      each.on('error', () => {});
      each.write(`GET /api/v1/namespaces HTTP/1.1\r\nHost: localhost\r\nX-Slow-${n}: `);
    }
    const answers = await Promise.all(Array.from({ length: 20 }, () => target.api.get('/readyz')));
    expect(answers.map(({ code }) => code)).toEqual(answers.map(() => 200));
    for (const each of sockets) each.destroy();
  });

  it('clients that never finish their bodies hold nobody up, and nothing is written', async (target) => {
    const { api, core } = target;
    const sockets = await Promise.all(Array.from({ length: 20 }, () => socket(target)));
    for (const each of sockets) {
      each.on('error', () => {});
      each.write(
        `POST ${core('configmaps')} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 500\r\n\r\n{"apiVersion":"v1",`,
      );
    }
    const { code } = await api.post(core('configmaps'), labelled('bodies', 'whole'));
    expect(code).toBe(201);
    for (const each of sockets) each.destroy();
    const { body } = await api.get(core('configmaps'), { query: { labelSelector: 'set=bodies' } });
    expect(body.items.map(({ metadata }) => metadata.name)).toEqual(['whole']);
  });

  it('connections that say nothing sensible are closed', async (target) => {
    const opened = await socket(target);
    const answer = await new Promise<string>((resolve) => {
      let text = '';
      opened.on('data', (chunk) => {
        text += chunk;
      });
      opened.on('close', () => resolve(text));
      opened.on('error', () => {});
      opened.write('NONSENSE\r\n\r\n');
    });
    expect(answer).toMatch(/^HTTP\/1\.[01] 400 Bad Request\r\n/);
  });

  it('a hundred creations at once are all there, under versions of their own', async ({ api, core }) => {
    const names = Array.from({ length: 100 }, (_, n) => `burst-${n}`);
    const answers = await Promise.all(
      names.map((name) => api.post(core('configmaps'), labelled('burst', name))),
    );
    expect(new Set(answers.map(({ body }) => body.metadata.resourceVersion)).size).toBe(100);
    const { body } = await api.get(core('configmaps'), { query: { labelSelector: 'set=burst' } });
    expect(body.items).toHaveLength(100);
  });

  it('of twenty creations of one name at once, one wins', async ({ api, core }) => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        api.post(core('configmaps'), configMap('prize', { data: { n: String(n) } })),
      ),
    );
    expect(answers.filter(({ code }) => code === 201)).toHaveLength(1);
    expect(answers.filter(({ code }) => code === 409)).toHaveLength(19);
  });
});
