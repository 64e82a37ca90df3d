import type { ServerResponse } from 'node:http';
import { answerYaml } from '../answer/answer-yaml.ts';
import { isNotModified, readTagList } from '../answer/entity-tag.ts';
import { wantsYaml, writeText } from '../answer/write-answer.ts';
import type { GatewayRequest } from '../request/gateway-request.ts';
import type { AppliedVersion } from '../streams/version-source.ts';
import { currentTag } from './current-tag.ts';

/** Writes a version with its entity tag, or a 304 to a client that has it. The content is read only when it is sent. */
export async function writeCurrent(
  response: ServerResponse,
  applied: AppliedVersion,
  { signal, turn, unsent }: Pick<GatewayRequest, 'signal' | 'turn' | 'unsent'>,
): Promise<void> {
  const isYaml = wantsYaml(response.req);
  const tag = currentTag(applied, isYaml ? 'yaml' : 'json');
  const headers = { etag: `"${tag}"`, vary: 'Accept, Authorization' };
  // A condition that cannot be read saves no transfer, and does no harm.
  const known = readTagList(response.req.headers['if-none-match'] ?? '');
  const notModified = () =>
    void response.writeHead(304, { 'cache-control': 'no-cache, private', ...headers }).end();
  if (isNotModified(known, tag)) return notModified();
  const { text } = await applied.read(signal);
  if (known === '*') return notModified();
  // The payload was serialized when it was read, once for all of its readers.
  if (isYaml) await answerYaml({ response, turn, unsent }, 200, text, { headers });
  else writeText(response, 200, 'application/json', `${text}\n`, { headers, unsent });
}
