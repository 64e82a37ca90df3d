import { currentEngine, type Engine } from '@trimtab/test-bed/engines/engine.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { RealReload } from './support/real-reload.ts';
import { ReloadedApp } from './support/reloaded-app.ts';
import { askEndpoint, servedText } from './support/served-text.ts';

/** Applications that are told about a change without a signal, or that ask. */

let engine: Engine;
let real: RealReload;

beforeAll(async () => {
  engine = await currentEngine();
  real = await RealReload.open(engine);
});
afterAll(async () => {
  await real?.[Symbol.asyncDispose]();
  await engine?.close();
});

/** Serves the text at all addresses, so at localhost, too. */
const served = (body: string) => ({ ...servedText(engine, body), env: [] });

/** Reads the file at each POST, refuses mauve, and shows the body and the authorization of the last POST at /told. */
const readAtPost = `
const load = () => {
  const next = readFileSync('/etc/foo/color', 'utf8');
  if (next === 'mauve' && (!process.env.PICKY || require('node:fs').existsSync('/tmp/picky')))
    return [422, 'mauve is no colour'];
  text = next;
  return 200;
};
let told;
answer = ({ method, url, headers }, body) => {
  if (url === '/told') return [200, JSON.stringify(told)];
  if (method !== 'POST') return 405;
  told = { url, body, isAuthorized: headers.authorization === 'Bearer ' + process.env.MY_CONFIG_TOKEN };
  return load();
};
`;

async function toldTo(app: ReloadedApp): Promise<{ url: string; body: string; isAuthorized: boolean }> {
  const response = await fetch(`${app.urls[0]}told`);
  return (await response.json()) as { url: string; body: string; isAuthorized: boolean };
}

test('http: the agent sends the request of the annotation', async () => {
  const app = await ReloadedApp.start(real, 'http', {
    containers: [served(`${readAtPost} load();`)],
    settings: { reload: 'http:POST http://localhost:8080/-/reload' },
  });
  await app.reloads('green', '1.0.1');
  expect(await toldTo(app)).toEqual({ url: '/-/reload', body: '', isAuthorized: false });
});

test('web hook: the agent posts the names and versions of what has changed', async () => {
  const app = await ReloadedApp.start(real, 'hook', {
    containers: [served(`${readAtPost} load();`)],
    settings: { reload: 'webhook:http://localhost:8080/config-changed' },
  });
  await app.reloads('green', '1.0.1');
  const { url, body } = await toldTo(app);
  expect(url).toBe('/config-changed');
  expect(JSON.parse(body)).toEqual({
    configs: [{ kind: 'ConfigMap', name: 'hook', version: '1.0.1', previous: '1.0.0' }],
  });
});

test('a container that subscribed a hook gets no signal, and its refusal is the reason of the rollback', async () => {
  const subscribe = `
    process.on('SIGUSR1', () => { text = 'signalled'; });
    ask('POST', '/hooks', JSON.stringify({ url: 'http://localhost:8080/subscribed' }))
      .then(({ status, body }) => { if (status === 201) load(); else text = body; });
  `;
  const app = await ReloadedApp.start(real, 'subscribed', {
    containers: [served(`${askEndpoint} ${readAtPost} ${subscribe}`)],
  });
  await app.reloads('green', '1.0.1');
  expect(await toldTo(app)).toMatchObject({ url: '/subscribed', isAuthorized: true });
  expect(await app.refuses('mauve')).toContain('mauve is no colour');
  await app.serves('green');
});

test('pull: the application asks the endpoint and waits there for a change', async () => {
  const follow = `
    (async () => {
      for (let etag, wait = ''; ; wait = '?wait=30s') {
        const response = await ask('GET', wait, undefined, etag ? { 'if-none-match': etag } : {});
        if (response.status === 200) text = JSON.parse(response.body).color;
        etag = response.etag;
      }
    })();
  `;
  const app = await ReloadedApp.start(real, 'pull', {
    containers: [served(`${askEndpoint} ${follow}`)],
    settings: { reload: 'pull' },
  });
  await app.reloads('green', '1.0.1');
});

test('the refusal of one of two pods rolls both back', async () => {
  const container = { ...served(`${readAtPost} load();`), env: [{ name: 'PICKY', value: 'yes' }] };
  const app = await ReloadedApp.start(real, 'picky', {
    containers: [container],
    replicas: 2,
    settings: { reload: 'http:POST http://localhost:8080/-/reload' },
  });
  await app.exec('app', ['touch', '/tmp/picky']);
  const reason = await app.refuses('mauve');
  expect(reason).toContain(`pod ${app.pods[0]?.name}: Refused: container app`);
  expect(reason).toContain('POST http://localhost:8080/-/reload: the response has status 422');
  await app.serves('blue');
  await app.reloads('green', '1.0.2');
});
