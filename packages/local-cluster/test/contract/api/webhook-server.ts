import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createAuthority, issue } from '@trimtab/kube/tls/authority.ts';

interface AdmissionRequest {
  uid: string;
  operation: string;
  kind: object;
  resource: object;
  subResource?: string;
  name?: string;
  namespace?: string;
  userInfo: { username: string; groups: string[] };
  object: { metadata: { name: string; annotations?: object } } | null;
  oldObject: { metadata: { name: string } } | null;
  options: object | null;
  dryRun: boolean;
}

/** Computes the response of a webhook; `undefined` closes the connection, and a promise delays the response. */
export type Verdict = (request: AdmissionRequest) => object | string | undefined | Promise<object>;

export interface WebhookServer {
  url: string;
  /** Certificate authority of the webhook in base64, for the API server. */
  caBundle: string;
  /** All requests to a path. */
  requests(path: string): AdmissionRequest[];
  close(): Promise<void>;
}

const hour = 3_600_000;

/** Starts a webhook server for a real API server, with one path per verdict. */
export async function startWebhookServer(verdicts: Record<string, Verdict>): Promise<WebhookServer> {
  const now = Date.now();
  const authority = createAuthority({ commonName: 'contract suite', now, validForMs: hour });
  const { certificate, key } = issue(authority, {
    commonName: 'webhook',
    now,
    validForMs: hour,
    ipAddresses: ['127.0.0.1'],
    usages: ['server'],
  });
  const seen: { path: string; request: AdmissionRequest }[] = [];
  const server = createServer({ cert: certificate, key }, (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', async () => {
      const path = new URL(incoming.url ?? '/', 'https://localhost').pathname.slice(1);
      const { apiVersion, kind, request } = JSON.parse(Buffer.concat(chunks).toString());
      seen.push({ path, request });
      const verdict = await verdicts[path]?.(request);
      if (verdict === undefined) return incoming.socket.destroy();
      const response = typeof verdict === 'string' ? undefined : { uid: request.uid, ...verdict };
      outgoing.setHeader('content-type', 'application/json');
      return outgoing.end(
        typeof verdict === 'string' ? verdict : JSON.stringify({ apiVersion, kind, response }),
      );
    });
  });
  // No keep-alive: closing a connection just when the API server reuses it would fail the call.
  server.keepAliveTimeout = 0;
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    caBundle: Buffer.from(authority.certificate).toString('base64'),
    requests: (path) => seen.filter((each) => each.path === path).map(({ request }) => request),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
