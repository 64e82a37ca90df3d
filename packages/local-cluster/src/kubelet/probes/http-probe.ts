import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Handler } from '../../objects/pod.ts';
import { dialProblem, hostAndPort, type ProbeTarget, placeOf } from './probe-address.ts';
import type { ProbeResult } from './probe-machine.ts';

type HttpGet = NonNullable<Handler['httpGet']>;

const maxRedirects = 10;

/** The URL of a container's httpGet. */
function httpGetUrl(get: HttpGet, asked: ProbeTarget): URL {
  const scheme = (get.scheme ?? 'HTTP').toLowerCase();
  const { host, port } = placeOf(get, asked);
  const path = get.path ?? '/';
  return new URL(`${path.startsWith('/') ? '' : '/'}${path}`, `${scheme}://${hostAndPort(host, port)}`);
}

/** A status from 200 to 399 is a success. Redirects are followed on the same host only. */
export async function httpProbe(get: HttpGet, asked: ProbeTarget, timeoutMs: number): Promise<ProbeResult> {
  const first = httpGetUrl(get, asked);
  const signal = AbortSignal.timeout(timeoutMs);
  let url = first;
  for (let hops = 0; ; hops += 1) {
    let answer: { status: number; location: string | undefined };
    try {
      answer = await ask(url, get.httpHeaders ?? [], signal);
    } catch (error) {
      const why = signal.aborted
        ? 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)'
        : dialProblem(url.host, error);
      return { is: 'failure', message: `Get "${url}": ${why}` };
    }
    const { status, location } = answer;
    if (status < 200 || status >= 400)
      return { is: 'failure', message: `HTTP probe failed with statuscode: ${status}` };
    const next = status >= 300 && location !== undefined ? URL.parse(location, url) : null;
    if (next === null || next.hostname !== first.hostname) return { is: 'success' };
    if (hops >= maxRedirects)
      return { is: 'failure', message: `Get "${next}": stopped after ${maxRedirects} redirects` };
    url = next;
  }
}

function ask(
  url: URL,
  headers: { name: string; value: string }[],
  signal: AbortSignal,
): Promise<{ status: number; location: string | undefined }> {
  const named = Object.fromEntries(headers.map(({ name, value }) => [name.toLowerCase(), value]));
  const options: RequestOptions & { rejectUnauthorized: boolean } = {
    // Headers of the probe override these defaults.
    headers: { 'user-agent': 'kube-probe/1.36', accept: '*/*', ...named },
    signal,
    agent: false,
    // Like the kubelet, a probe does not verify the certificate.
    rejectUnauthorized: false,
  };
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage) => {
      const { statusCode: status = 0, headers: answered } = response;
      // The body is not needed and may never end.
      response.destroy();
      resolve({ status, location: answered.location });
    };
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    send(url, options, onResponse).on('error', reject).end();
  });
}
