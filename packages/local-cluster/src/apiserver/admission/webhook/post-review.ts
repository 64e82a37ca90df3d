import { Agent, request } from 'node:https';
import type { Webhook } from './webhook-objects.ts';

/** The call to the webhook failed. The message is the text that Kubernetes puts after `failed to call webhook: `. */
export class CallProblem extends Error {
  override readonly name = 'CallProblem';
}

const maxBytes = 3 * 1024 * 1024;

/** POSTs a review to a webhook and returns the body of the response. Throws CallProblem. */
export function postReview({ clientConfig, timeoutSeconds = 10 }: Webhook, body: string): Promise<string> {
  const { url, service, caBundle } = clientConfig;
  if (url === undefined) {
    const what = `service ${service?.namespace}/${service?.name}`;
    throw new CallProblem(
      `the local API server cannot call ${what}: set clientConfig.url to the address of the webhook`,
    );
  }
  const address = new URL(url);
  address.searchParams.set('timeout', `${timeoutSeconds}s`);
  const problem = (why: string) => new CallProblem(`Post ${JSON.stringify(address.href)}: ${why}`);
  // Each call has a new connection: a webhook that restarts would break a connection that is kept alive.
  const agent = new Agent({ keepAlive: false });
  const signal = AbortSignal.timeout(timeoutSeconds * 1000);
  const ca = caBundle === undefined || caBundle === '' ? {} : { ca: Buffer.from(caBundle, 'base64') };
  return new Promise((resolve, reject) => {
    const outgoing = request(address, {
      method: 'POST',
      agent,
      signal,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, */*',
        'content-length': Buffer.byteLength(body),
        'user-agent': 'kube-apiserver-admission',
      },
      ...ca,
    });
    outgoing.on('error', (error) => reject(problem(asGo(error, signal.aborted, address))));
    outgoing.on('response', (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > maxBytes) response.destroy(new Error('webhook response is larger than 3 MiB'));
        else chunks.push(chunk);
      });
      response.on('error', (error) => reject(problem(asGo(error, signal.aborted, address))));
      response.on('end', () => {
        const { statusCode = 0 } = response;
        if (statusCode >= 200 && statusCode < 300) resolve(Buffer.concat(chunks).toString('utf8'));
        else reject(new CallProblem(refusal(statusCode, Buffer.concat(chunks).toString('utf8'))));
      });
    });
    outgoing.end(body);
  });
}

/** Message of Go's client for a response that is not 2xx. */
function refusal(code: number, text: string): string {
  switch (code) {
    case 404:
      return 'the server could not find the requested resource';
    case 401:
      return 'the server has asked for the client to provide credentials';
    case 403:
      return `forbidden: ${text.trim()}`;
    default:
      if (code < 500) return 'the server rejected our request for an unknown reason';
      return `an error on the server (${JSON.stringify(text.trim())}) has prevented the request from succeeding`;
  }
}

/** Message of Go's client for the same network error. */
function asGo(error: NodeJS.ErrnoException, isLate: boolean, { host }: URL): string {
  if (isLate) return 'context deadline exceeded';
  switch (error.code) {
    case 'ECONNREFUSED':
      return `dial tcp ${host}: connect: connection refused`;
    case 'ECONNRESET':
    case 'EPIPE':
      return 'EOF';
    case 'ENOTFOUND':
      return `dial tcp: lookup ${host}: no such host`;
    case 'UNABLE_TO_VERIFY_LEAF_SIGNATURE':
    case 'SELF_SIGNED_CERT_IN_CHAIN':
    case 'DEPTH_ZERO_SELF_SIGNED_CERT':
    case 'CERT_SIGNATURE_FAILURE':
    case 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY':
      return 'tls: failed to verify certificate: x509: certificate signed by unknown authority';
    case 'CERT_HAS_EXPIRED':
      return 'tls: failed to verify certificate: x509: certificate has expired or is not yet valid';
    default:
      return error.message;
  }
}
