import type { IncomingMessage } from 'node:http';
import { badRequest, StatusError, tooLarge, unsupportedMediaType } from '../errors/status-error.ts';
import { protobufToJson } from '../protobuf/envelope.ts';
import { readYaml } from './yaml-body.ts';

const maxBytes = 3 * 1024 * 1024;
const accepted = ['application/json', 'application/yaml', 'application/vnd.kubernetes.protobuf'];

const bodies = new WeakMap<IncomingMessage, Buffer>();

/** Returns the body of a request that was read, for the audit log. */
export function keptBody(request: IncomingMessage): Buffer | undefined {
  return bodies.get(request);
}

/**
 * Reads the whole body. Rejects with a StatusError when it is larger than any object that can be stored; the rest is
 * still received and discarded, as the client would otherwise lose the response together with the connection.
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

export interface BodyText {
  json: string;
  /** Duplicate keys of a YAML body; the conversion to JSON drops them. */
  duplicates: string[];
}

/** Converts a body to JSON text. Without a content type the body is JSON. */
export function bodyText(body: Buffer, type: string): BodyText {
  switch (type) {
    case '':
    case 'application/json':
      return { json: body.toString('utf8'), duplicates: [] };
    case 'application/yaml':
      return readYaml(body.toString('utf8'));
    case 'application/vnd.kubernetes.protobuf':
      return { json: protobufToJson(body), duplicates: [] };
    default:
      throw unsupportedMediaType(accepted);
  }
}

export function unrecognized(kind: string, why: string): StatusError {
  return new StatusError(
    400,
    'BadRequest',
    `the object provided is unrecognized (must be of type ${kind}): ${why}`,
  );
}
