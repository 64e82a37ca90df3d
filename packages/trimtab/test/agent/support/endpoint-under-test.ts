import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { type RequestOptions, request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@trimtab/kube/log/silent-logger.ts';
import { type Endpoint, type EndpointOptions, startEndpoint } from '../../../src/agent/endpoint/endpoint.ts';

/** For tests: an endpoint with temporary folders, and an HTTPS client for it. */
export interface EndpointUnderTest extends Endpoint {
  privateFolder: string;
  publicFolder: string;
  token: string;
  authority: string;
  /** Sends a request, with the token unless `headers` has another one. Rejects when the connection fails. */
  call(path: string, options?: CallOptions): Promise<Answer>;
}

export interface CallOptions extends RequestOptions {
  body?: string;
}

interface Answer {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

const opened: { endpoint: Endpoint; folder: string }[] = [];

export async function openEndpoint(options: Partial<EndpointOptions> = {}): Promise<EndpointUnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'test-endpoint-'));
  const [privateFolder, publicFolder] = [join(folder, 'private'), join(folder, 'public')];
  const all = { host: '127.0.0.1', port: 0, podIps: ['127.0.0.1'], containers: ['app'], log: silentLogger };
  const endpoint = await startEndpoint({ ...all, privateFolder, publicFolder, ...options });
  opened.push({ endpoint, folder });
  const read = (name: string) => readFileSync(join(options.publicFolder ?? publicFolder, name), 'utf8');
  const [token, ca] = [read('token'), read('ca.crt')];
  const target = { host: '127.0.0.1', port: endpoint.port, ca, agent: false };
  return {
    ...endpoint,
    ...{ privateFolder, publicFolder, token, authority: ca },
    call: (path, { headers, body, ...rest } = {}) =>
      exchange({ ...target, path, headers: { authorization: `Bearer ${token}`, ...headers }, ...rest }, body),
  };
}

export async function closeEndpoints(): Promise<void> {
  for (const { endpoint, folder } of opened.splice(0)) {
    await endpoint.close();
    rmSync(folder, { recursive: true });
  }
}

function exchange(options: RequestOptions, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const outgoing = request(options, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (part: string) => {
        text += part;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text }),
      );
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}
