import { readFileSync } from 'node:fs';
import { type IncomingMessage, request } from 'node:http';
import type { Socket } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import type { Bed } from '../bed.ts';
import { certificateFile, readPair } from './pki.ts';

export interface Answer {
  status: number;
  body: string;
}

interface Call {
  method?: 'GET' | 'POST' | 'DELETE';
  path: string;
  body?: unknown;
  /** Another address than the API server: a health endpoint with a self-signed certificate. */
  at?: { host: string; port: number; plain?: boolean };
}

const patienceMs = 10_000;

/** Sends one request as the administrator. It does not use KubeClient: the bed must work when KubeClient is broken. */
export async function call(bed: Bed, { method = 'GET', path, body, at }: Call): Promise<Answer> {
  const socket = await bed.dial(at?.host ?? bed.address, at?.port ?? bed.state.ports.api);
  const stream = at?.plain ? socket : secured(bed, socket, at === undefined);
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      host: 'localhost',
      connection: 'close',
      ...(payload === undefined
        ? {}
        : { 'content-type': 'application/json', 'content-length': Buffer.byteLength(payload) }),
    };
    stream.on('error', reject);
    const outgoing = request({ method, path, headers, createConnection: () => stream }, (incoming) => {
      collect(incoming).then(resolve, reject);
    });
    outgoing.setTimeout(patienceMs, () =>
      outgoing.destroy(new Error(`no response in ${patienceMs / 1000} s`)),
    );
    outgoing.on('error', reject);
    outgoing.end(payload);
  }).finally(() => socket.destroy()) as Promise<Answer>;
}

function secured(bed: Bed, socket: Socket, asAdmin: boolean): TLSSocket {
  if (!asAdmin) return connect({ socket, rejectUnauthorized: false });
  const { certificate, key } = readPair(bed.folder, 'admin');
  const ca = readFileSync(certificateFile(bed.folder, 'ca'));
  return connect({ socket, ca, cert: certificate, key, servername: 'localhost' });
}

async function collect(incoming: IncomingMessage): Promise<Answer> {
  let body = '';
  for await (const text of incoming.setEncoding('utf8')) body += text;
  return { status: incoming.statusCode ?? 0, body };
}
