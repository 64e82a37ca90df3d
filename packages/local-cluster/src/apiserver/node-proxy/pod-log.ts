import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { badRequest, internalError, notFound } from '../errors/status-error.ts';
import type { Pod } from '../kinds/core/pod-types.ts';
import type { Answer, VerbRequest } from '../verbs/verb-request.ts';
import { refusalOf } from './kubelet.ts';
import { checkLogOptions } from './log-options.ts';
import { podContainer } from './pod-container.ts';

/** `GET …/pods/web/log`: what the kubelet of its node has of it, as it comes. */
export async function podLog(request: VerbRequest): Promise<Answer> {
  const { services, kind, info, query, response } = request;
  const name = info.name ?? '';
  const found = services.storage.get(kind, info.namespace, name);
  if (found === undefined) throw notFound(kind, name);
  checkLogOptions(query, name);
  const pod = found.object as Pod;
  const container = podContainer(pod, query.get('container'));
  // Nothing can have been said yet.
  if (!pod.spec.nodeName) return empty(request);
  const asked = new URLSearchParams(query);
  asked.delete('container');
  const path = ['containerLogs', info.namespace ?? '', name, container].map(encodeURIComponent).join('/');
  const outgoing = services.kubelets.request(pod, `/${path}?${asked}`);
  response.once('close', () => outgoing.destroy());
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', (error) =>
      reject(internalError(`the kubelet of ${pod.spec.nodeName} does not answer: ${error.message}`)),
    );
    outgoing.end();
  });
  if (answer.statusCode !== 200) {
    const why = await refusalOf(answer);
    throw answer.statusCode === 500 ? internalError(why) : badRequest(why);
  }
  response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-cache, private' });
  // A reader of a log that is followed wants to see that it is.
  response.flushHeaders();
  await pipeline(answer, response).catch(() => response.destroy());
  return 'answered';
}

function empty({ response }: VerbRequest): Answer {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 0 }).end();
  return 'answered';
}
