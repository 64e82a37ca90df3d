import type { IncomingMessage } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type FieldError, forbiddenField, invalid, invalidObject } from '../errors/field-error.ts';
import { badRequest, internalError, notFound } from '../errors/status-error.ts';
import type { Pod } from '../kinds/core/pod-types.ts';
import type { Answer, VerbRequest } from '../verbs/verb-request.ts';
import { refusalOf } from './kubelet.ts';
import { podContainer } from './pod-container.ts';

/** `GET …/pods/web/log`: streams the log from the kubelet of the pod's node. */
export async function podLog(request: VerbRequest): Promise<Answer> {
  const { services, kind, info, query, response } = request;
  const name = info.name ?? '';
  const found = services.storage.get(kind, info.namespace, name);
  if (found === undefined) throw notFound(kind, name);
  checkLogOptions(query, name);
  const pod = found.object as Pod;
  const container = podContainer(pod, query.get('container'));
  // An unscheduled pod has no log yet.
  if (!pod.spec.nodeName) return empty(request);
  const asked = new URLSearchParams(query);
  asked.delete('container');
  const path = ['containerLogs', info.namespace ?? '', name, container].map(encodeURIComponent).join('/');
  const outgoing = services.kubelets.request(pod, `/${path}?${asked}`);
  response.once('close', () => outgoing.destroy());
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.once('error', (error) =>
      reject(internalError(`kubelet of node ${pod.spec.nodeName} is unreachable: ${error.message}`)),
    );
    outgoing.end();
  });
  if (answer.statusCode !== 200) {
    const why = await refusalOf(answer);
    throw answer.statusCode === 500 ? internalError(why) : badRequest(why);
  }
  response.writeHead(200, { 'content-type': 'text/plain', 'cache-control': 'no-cache, private' });
  // A client that follows a log needs the headers before the first line, to see that the stream is open.
  response.flushHeaders();
  await pipeline(answer, response).catch(() => response.destroy());
  return 'answered';
}

function empty({ response }: VerbRequest): Answer {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': 0 }).end();
  return 'answered';
}

const optionsKind = { group: '', kind: 'PodLogOptions' };
const whole = /^[+-]?\d+$/;

/** Validates the options of a log request, with Kubernetes' messages. Throws a StatusError. */
function checkLogOptions(query: URLSearchParams, pod: string): void {
  const number = (name: string) => {
    const text = query.get(name);
    if (text === null || text === '') return undefined;
    if (!whole.test(text))
      throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
    return Number(text);
  };
  const errors: FieldError[] = [];
  const [tailLines, limitBytes, sinceSeconds] = ['tailLines', 'limitBytes', 'sinceSeconds'].map(number);
  if (tailLines !== undefined && tailLines < 0)
    errors.push(invalid('tailLines', tailLines, 'must be greater than or equal to 0'));
  if (limitBytes !== undefined && limitBytes < 1)
    errors.push(invalid('limitBytes', limitBytes, 'must be greater than 0'));
  if (sinceSeconds !== undefined && query.has('sinceTime'))
    errors.push(forbiddenField('', 'at most one of `sinceTime` or `sinceSeconds` may be specified'));
  else if (sinceSeconds !== undefined && sinceSeconds < 1)
    errors.push(invalid('sinceSeconds', sinceSeconds, 'must be greater than 0'));
  const sinceTime = query.get('sinceTime');
  if (sinceTime !== null && Number.isNaN(Date.parse(sinceTime)))
    throw badRequest(`sinceTime: ${JSON.stringify(sinceTime)} is not an RFC 3339 time`);
  if (errors.length > 0) throw invalidObject(optionsKind, pod, errors);
}
