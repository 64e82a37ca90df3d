import type { ErrorBody, ProtocolError } from '@trimtab/kube/http/protocol-error.ts';
import type { StatusReason } from '../../api/reasons/response-reasons.ts';
import { StatusError } from './status-error.ts';

const reasons: Readonly<Record<number, StatusReason>> = {
  405: 'MethodNotAllowed',
  413: 'RequestEntityTooLarge',
  417: 'ExpectationFailed',
  431: 'RequestHeaderFieldsTooLarge',
};

/** Describes bytes that are no request as a Kubernetes Status, as all other refusals are. */
export function protocolStatus({ code, message }: ProtocolError): ErrorBody {
  const { body } = new StatusError(code, reasons[code] ?? 'BadRequest', message);
  return { contentType: 'application/json', text: `${JSON.stringify(body)}\n` };
}
