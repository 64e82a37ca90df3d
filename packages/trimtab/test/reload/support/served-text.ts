import type { Engine } from '@trimtab/test-bed/engines/engine.ts';

/**
 * A container that serves a text at a port of its pod. `body` is JavaScript with an initial value for `text`, which may
 * define `answer(request, body)` for requests other than `GET /`.
 */
export function servedText(engine: Engine, body: string, port = 8080): object {
  const program = `
const { readFileSync } = require('node:fs');
const port = ${port};
let text = '';
let answer = () => 404;
${body}
require('node:http').createServer(async (request, response) => {
  if (request.method === 'GET' && request.url === '/') return response.end(text);
  let sent = '';
  for await (const chunk of request) sent += chunk;
  const [status, message = ''] = [answer(request, sent)].flat();
  response.writeHead(status).end(message);
}).listen(port, process.env.SERVE_ON);
`;
  return {
    image: engine.images.node,
    command: ['node', '-e', program],
    env: [{ name: 'SERVE_ON', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } }],
    readinessProbe: { httpGet: { path: '/', port }, periodSeconds: 1 },
  };
}

/** Reads a file when it starts, and again at a signal. */
export const readAtSignal = (file: string, signal: string) => `
const load = () => { text = readFileSync('${file}', 'utf8'); };
process.on('${signal}', load);
load();
`;

/** Requests to the in-pod endpoint, as an application sends them. */
export const askEndpoint = `
const ask = (method, path = '', body, headers = {}) => new Promise((resolve, reject) => {
  const { MY_CONFIG_ENDPOINT: endpoint, MY_CONFIG_CA: ca, MY_CONFIG_TOKEN: authorization } = process.env;
  const options = { method, ca: readFileSync(ca), headers: { authorization, ...headers } };
  require('node:https').request(endpoint + path, options, async (response) => {
    let received = '';
    for await (const chunk of response) received += chunk;
    resolve({ status: response.statusCode, etag: response.headers.etag, body: received });
  }).on('error', reject).end(body);
});
`;
