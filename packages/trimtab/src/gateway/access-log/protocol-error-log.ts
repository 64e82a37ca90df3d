import type { Socket } from 'node:net';
import type { ProtocolError } from '@trimtab/kube/http/protocol-error.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { plainAddress } from '../client/trusted-proxies.ts';
import type { AccessLogMode } from './is-logged.ts';
import type { RefusedLines } from './refused-lines.ts';

/** Is called when the gateway answers bytes that are not a valid HTTP request. */
export type ProtocolErrorLog = (error: ProtocolError, socket: Socket) => void;

interface ProtocolErrorLogOptions {
  mode: AccessLogMode;
  log: Logger;
  refusedLines: RefusedLines;
}

/** One line for each answer. It contains no bytes of the client, and the address of its connection: no header is known. */
export function protocolErrorLog({ mode, log, refusedLines }: ProtocolErrorLogOptions): ProtocolErrorLog {
  if (mode === 'off') return () => {};
  const lines = log.child({}, { level: 'info' });
  return ({ code, message }, { remoteAddress = '' }) => {
    if (!refusedLines.admit()) return;
    lines.info(
      { route: 'invalid', status: code, problem: message, address: plainAddress(remoteAddress) ?? 'unknown' },
      'request is not valid HTTP',
    );
  };
}
