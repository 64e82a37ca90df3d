import type { IncomingMessage } from 'node:http';
import { parseDocument } from 'yaml';
import { badRequest, StatusError, tooLarge, unsupportedMediaType } from '../errors/status-error.ts';
import { protobufToJson } from '../protobuf/envelope.ts';

const maxBytes = 3 * 1024 * 1024;
const accepted = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

const bodies = new WeakMap<IncomingMessage, Buffer>();

/** What was read of a request, for the audit log. */
export function keptBody(request: IncomingMessage): Buffer | undefined {
  return bodies.get(request);
}

/**
 * The whole body; a StatusError when it is larger than anything that can be stored. What is too much is still taken
 * and thrown away, or the client would lose the answer together with the connection.
 */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxBytes) refuse();
      else chunks.push(chunk);
    };
    const refuse = () => {
      request.off('data', take);
      request.resume();
      reject(tooLarge(`Request entity too large: limit is ${maxBytes}`));
    };
    request.once('end', () => {
      const body = Buffer.concat(chunks);
      bodies.set(request, body);
      resolve(body);
    });
    request.once('error', () => reject(badRequest('unexpected EOF')));
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) refuse();
    else request.on('data', take);
  });
}

/** `application/json; charset=utf-8` → `application/json` */
export function mediaType(request: IncomingMessage): string {
  return (request.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
}

/** The body as JSON text, whatever it was written in. Without a content type it is JSON. */
export function jsonText(body: Buffer, type: string): string {
  switch (type) {
    case '':
    case 'application/json':
      return body.toString('utf8');
    case 'application/yaml':
      return yamlToJson(body.toString('utf8'));
    case 'application/vnd.kubernetes.protobuf':
      return protobufToJson(body);
    default:
      throw unsupportedMediaType(accepted);
  }
}

function yamlToJson(text: string): string {
  const document = parseDocument(text, { version: '1.1', uniqueKeys: false, merge: true });
  const [problem] = document.errors;
  if (problem !== undefined) {
    const line = problem.linePos?.[0].line ?? 1;
    const isTab = problem.code === 'TAB_AS_INDENT';
    const what = isTab ? 'found a tab character that violates indentation' : problem.message.split('\n')[0];
    throw new YamlProblem(`yaml: line ${line}: ${what}`);
  }
  try {
    // Aliases are resolved a bounded number of times: a small text must not become a huge object.
    return JSON.stringify(document.toJS({ maxAliasCount: 100 }) ?? null);
  } catch (error) {
    const message = error instanceof Error ? error.message : 'it cannot be read';
    const anchor = /^Unresolved alias .*: (.*)$/.exec(message)?.[1];
    if (anchor !== undefined) throw new YamlProblem(`yaml: unknown anchor '${anchor}' referenced`);
    const isBomb = message.startsWith('Excessive alias count');
    throw new YamlProblem(`yaml: ${isBomb ? 'document contains excessive aliasing' : message}`);
  }
}

export class YamlProblem extends Error {
  override readonly name = 'YamlProblem';
}

export function unrecognized(kind: string, why: string): StatusError {
  return new StatusError(
    400,
    'BadRequest',
    `the object provided is unrecognized (must be of type ${kind}): ${why}`,
  );
}
