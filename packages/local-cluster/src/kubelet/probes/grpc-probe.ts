import { connect } from 'node:http2';
import { hostAndPort } from './probe-address.ts';
import type { ProbeResult } from './probe-machine.ts';

const statusNames = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];

/** Calls `grpc.health.v1.Health/Check`. The two protobuf fields it needs are encoded by hand. */
export function grpcProbe(
  host: string,
  { port, service = '' }: { port: number; service?: string },
  timeoutMs: number,
): Promise<ProbeResult> {
  const address = hostAndPort(host, port);
  return new Promise((resolve) => {
    const session = connect(`http://${address}`);
    const end = (result: ProbeResult) => {
      clearTimeout(timer);
      session.destroy();
      resolve(result);
    };
    const timer = setTimeout(
      () =>
        end({
          is: 'failure',
          message: `timeout: failed to connect service "${address}" within ${timeoutMs / 1000}s: context deadline exceeded`,
        }),
      timeoutMs,
    );
    // The stream closes with its session, and its missing status reports the failure.
    session.on('error', () => {});
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      'user-agent': 'kube-probe/1.36',
      te: 'trailers',
    });
    const parts: Buffer[] = [];
    let code = '';
    stream.on('response', (headers) => {
      code = String(headers['grpc-status'] ?? code);
    });
    stream.on('trailers', (headers) => {
      code = String(headers['grpc-status'] ?? code);
    });
    stream.on('data', (part: Buffer) => parts.push(part));
    stream.on('error', () => {});
    stream.on('close', () => end(verdict(code, Buffer.concat(parts), address)));
    stream.end(checkRequest(service));
  });
}

/** A gRPC frame with the message HealthCheckRequest { string service = 1 }. */
export function checkRequest(service: string): Buffer {
  const name = Buffer.from(service);
  const message = service === '' ? Buffer.alloc(0) : Buffer.concat([Buffer.from([0x0a, name.length]), name]);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(message.length, 1);
  return Buffer.concat([head, message]);
}

function verdict(code: string, body: Buffer, address: string): ProbeResult {
  if (code === '')
    return {
      is: 'failure',
      message: `error: no gRPC response from "${address}": connection refused or closed`,
    };
  if (code === '12')
    return {
      is: 'failure',
      message: `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): service "${address}"`,
    };
  if (code !== '0')
    return { is: 'failure', message: `error: health rpc probe failed at "${address}" with code ${code}` };
  // A frame header of five bytes, then HealthCheckResponse { status = 1 }; protobuf omits a zero status.
  const status = body.length > 6 && body[5] === 0x08 ? (body[6] ?? 0) : 0;
  if (status === 1) return { is: 'success' };
  return {
    is: 'failure',
    message: `service unhealthy (responded with "${statusNames[status] ?? status}")`,
  };
}
