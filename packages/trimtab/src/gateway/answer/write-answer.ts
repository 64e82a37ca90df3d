import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { Refusal } from '../../versions/refusal.ts';
import { smallWriteBytes, type UnsentAccount } from '../limits/unsent-budget.ts';
import { discardBody } from './discard-body.ts';
import { endAfterBody } from './end-after-body.ts';
import { StatusError } from './status-error.ts';
import { warningHeaders } from './warning-headers.ts';
import { yamlText } from './yaml-text.ts';

export interface AnswerOptions {
  headers?: Readonly<Record<string, string>>;
  /** Warning headers for the caller; kubectl prints them. */
  warnings?: readonly string[];
  /** Memory for a response that its client may take slowly. A read is refused when there is none left. */
  unsent?: UnsentAccount;
  /** Ends the response in place of this function, when all of it is written. */
  end?: () => void;
}

export function wantsYaml({ headers }: IncomingMessage): boolean {
  return /\byaml\b/.test(headers.accept ?? '');
}

/** Writes an object as JSON, or as YAML to a client that accepts YAML. */
export function writeObject(
  response: ServerResponse,
  code: number,
  object: unknown,
  options: AnswerOptions = {},
): void {
  const isYaml = wantsYaml(response.req);
  const json = JSON.stringify(object);
  const text = isYaml ? yamlText(json) : `${json}\n`;
  writeText(response, code, isYaml ? 'application/yaml' : 'application/json', text, options);
}

export function writeText(
  response: ServerResponse,
  code: number,
  contentType: string,
  text: string,
  { headers = {}, warnings = [], unsent, end }: AnswerOptions = {},
): void {
  const bytes = Buffer.byteLength(text);
  if (unsent !== undefined) chargeFor(response, unsent, bytes);
  if (warnings.length > 0) response.setHeader('warning', warningHeaders(warnings));
  // Configs may be secret, so no shared cache may store them.
  response.writeHead(code, {
    'content-type': contentType,
    'content-length': String(bytes),
    'cache-control': 'no-cache, private',
    ...headers,
  });
  if (end === undefined) {
    writeSlices(response, text);
    return;
  }
  // Written at once: what follows in the request may be no valid HTTP, and then ends the connection.
  response.cork();
  response.write(text, () => end());
  response.uncork();
}

/** Returns what was charged. Only a read is refused: what another request has done must be answered. */
export function chargeFor(response: ServerResponse, unsent: UnsentAccount, bytes: number): number {
  if (bytes <= smallWriteBytes) return 0;
  if (/^(GET|HEAD)$/.test(response.req.method ?? '')) unsent.charge(bytes);
  else unsent.note(bytes);
  return bytes;
}

const sliceBytes = 64 * 1024;

/** A long text is written in slices, as its client takes them: the progress of one large write cannot be seen. */
function writeSlices(response: ServerResponse, text: string): void {
  if (text.length <= sliceBytes || response.destroyed) {
    response.end(text);
    return;
  }
  const bytes = Buffer.from(text);
  const count = Math.ceil(bytes.length / sliceBytes);
  const slices = Array.from({ length: count }, (_, n) =>
    bytes.subarray(n * sliceBytes, (n + 1) * sliceBytes),
  );
  Readable.from(slices).pipe(response);
}

export function writeRefusal(response: ServerResponse, refusal: Refusal, clock: Clock): void {
  const { body } = refusal;
  const headers = refusal instanceof StatusError ? refusal.headers : {};
  if (discardBody(response.req, body.code)) {
    writeObject(response, body.code, body, { headers });
    return;
  }
  const closing = { ...headers, connection: 'close' };
  writeObject(response, body.code, body, { headers: closing, end: () => endAfterBody(response, clock) });
}
