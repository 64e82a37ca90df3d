import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { ScriptedUpstream } from '../../test/gateway/support/scripted-upstream.ts';

let upstream: ScriptedUpstream;
afterEach(() => upstream?.close());

const current = '/api/v1/namespaces/a/configmaps/foo/current';
const possibleVersion = 'foo-abcdefghij';
const maxStreamsPerPod = 3;

const claims = Buffer.from('{"aud":["trimtab.dev"]}').toString('base64url');
const tokenOf = (name: string) => `e30.${claims}.${Buffer.from(name).toString('base64url')}`;

const pod = {
  metadata: { name: 'web-1', namespace: 'a', uid: 'u-1', resourceVersion: '1' },
  spec: {
    nodeName: 'n',
    volumes: ['foo', possibleVersion].map((name) => ({ name, configMap: { name } })),
    containers: [{ name: 'c', volumeMounts: ['foo', possibleVersion].map((name) => ({ name })) }],
  },
};
/** More than a client may take without being counted. */
const config = {
  metadata: { name: 'foo', namespace: 'a', uid: 'u-2', resourceVersion: '1' },
  data: { large: 'x'.repeat(100_000) },
};
const user = {
  username: 'system:serviceaccount:a:default',
  extra: {
    'authentication.kubernetes.io/pod-name': ['web-1'],
    'authentication.kubernetes.io/pod-uid': ['u-1'],
  },
};

/** An API server with one pod and one unmanaged config, which holds the answers that the test wants to be held. */
async function start() {
  const held: (() => void)[] = [];
  const scene = { held, holds: (_path: string) => false };
  upstream = await ScriptedUpstream.start(
    {
      answer(request, response) {
        const path = new URL(request.url ?? '', 'http://x').pathname;
        response.setHeader('content-type', 'application/json');
        const reply = () => answer(path, request, response);
        if (scene.holds(path)) held.push(reply);
        else reply();
      },
    },
    { current: { maxStreamsPerPod } },
  );
  return scene;
}

function answer(path: string, { url = '' }: IncomingMessage, response: ServerResponse): void {
  const items = path.endsWith('/pods') ? [pod] : path.endsWith('/configmaps') ? [config] : [];
  if (url.includes('watch=')) {
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    const bookmark = { type: 'BOOKMARK', object: { metadata: { resourceVersion: '1', annotations } } };
    const events = [...items.map((object) => ({ type: 'ADDED', object })), bookmark];
    response.write(`${events.map((event) => JSON.stringify(event)).join('\n')}\n`);
    return;
  }
  const review = { authenticated: true, audiences: ['trimtab.dev'], user };
  if (path.endsWith('/tokenreviews')) response.write(JSON.stringify({ metadata: {}, status: review }));
  else if (path.endsWith('/configmaps/foo')) response.write(JSON.stringify(config));
  else
    response
      .writeHead(404)
      .write('{"kind": "Status", "status": "Failure", "code": 404, "reason": "NotFound"}');
  response.end();
}

const metric = async (name: string) =>
  Number(new RegExp(`^${name}(?:{[^}]*})? (\\d+)`, 'm').exec(await upstream.gateway.metrics())?.[1]);
const headersOf = (token: string) => ({ authorization: `Bearer ${token}` });

/** Sends a request, and leaves while the API server holds an answer for it. The gateway then gets that answer. */
async function leaveDuring(scene: Awaited<ReturnType<typeof start>>, path: string, token: string) {
  const open = path.includes('watch')
    ? 'trimtab_gateway_streams_in_progress'
    : 'trimtab_gateway_requests_in_flight';
  const socket = await upstream.connect();
  socket.write(`GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
  await vi.waitFor(() => expect(scene.held).toHaveLength(1));
  const closed = once(socket, 'close');
  socket.destroy();
  await closed;
  await vi.waitFor(async () => expect(await metric(open)).toBe(0));
  scene.held.shift()?.();
}

describe('a client that leaves while the API server is asked', () => {
  test.each([
    ['who sends the request', /\/tokenreviews$/],
    ['what the pod may read', new RegExp(`/${possibleVersion}$`)],
  ])('%s holds no memory for responses and no watch of its pod', async (_, held) => {
    const scene = await start();
    const ask = (path: string, signal?: AbortSignal) =>
      fetch(`${upstream.url}${path}`, { headers: headersOf(tokenOf('known')), ...(signal && { signal }) });
    // Afterwards, the watches of the gateway are synced, so only the held answer takes time.
    expect(await (await ask(current)).json()).toMatchObject({ data: config.data });
    for (const path of [current, `${current}?watch=true`])
      for (let n = 0; n < maxStreamsPerPod; n++) {
        scene.holds = (asked) => held.test(asked);
        await leaveDuring(scene, path, tokenOf(`${n} ${path}`));
        scene.holds = () => false;
        // By then, the gateway has handled the answer before.
        expect((await ask(current)).status).toBe(200);
      }
    await vi.waitFor(async () => expect(await metric('trimtab_gateway_unsent_response_bytes')).toBe(0));
    const left = new AbortController();
    const watch = await ask(`${current}?watch=true`, left.signal);
    expect(watch.status).toBe(200);
    expect(await metric('trimtab_gateway_streams')).toBe(1);
    left.abort();
  });
});
