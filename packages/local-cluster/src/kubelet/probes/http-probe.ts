import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import { request as httpsRequest } from 'node:https';
import type { Handler } from '../../objects/pod.ts';
import { type Asked, dialProblem, hostAndPort, placeOf } from './probe-address.ts';
import type { ProbeResult } from './probe-machine.ts';

type HttpGet = NonNullable<Handler['httpGet']>;

const maxRedirects = 10;

/** Where an httpGet of a container leads. */
function httpGetUrl(get: HttpGet, asked: Asked): URL {
  const scheme = (get.scheme ?? 'HTTP').toLowerCase();
  const { host, port } = placeOf(get, asked);
  const path = get.path ?? '/';
  return new URL(`${path.startsWith('/') ? '' : '/'}${path}`, `${scheme}://${hostAndPort(host, port)}`);
}

/** 200 to 399 is well; a redirect is followed on the same host only. */
export async function httpProbe(get: HttpGet, asked: Asked, timeoutMs: number): Promise<ProbeResult> {
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
    // A header of the probe wins, also over these.
    headers: { 'user-agent': 'kube-probe/1.36', accept: '*/*', ...named },
    signal,
    agent: false,
    // As the kubelet: a probe asks whether it answers, not who it is.
    rejectUnauthorized: false,
  };
  return new Promise((resolve, reject) => {
    const onResponse = (response: IncomingMessage) => {
      const { statusCode: status = 0, headers: answered } = response;
      // Its body says nothing that is needed, and may have no end.
      response.destroy();
      resolve({ status, location: answered.location });
    };
    const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
    send(url, options, onResponse).on('error', reject).end();
  });
}
