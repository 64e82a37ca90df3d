import type { Status } from '@trimtab/kube/wire.ts';
import type { StatusReason } from '../api/reasons/response-reasons.ts';
import { longestName, shortened } from '../core/messages/quoted.ts';

/** The operation that achieves what the caller wants. Each program describes it in its own terms. */
export type Remedy = 'create-config' | 'add-version';

/** An error in the form of a Kubernetes Status: the caller may not do this, or not now. */
export class Refusal extends Error {
  override readonly name: string = 'Refusal';
  readonly body: Status & { code: number; reason: StatusReason; message: string };
  readonly remedy: Remedy | undefined;

  constructor(
    code: number,
    reason: StatusReason,
    message: string,
    details?: Status['details'],
    remedy?: Remedy,
  ) {
    super(message);
    this.body = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message,
      reason,
      ...(details && { details }),
      code,
    };
    this.remedy = remedy;
  }
}

interface About {
  /** `configmaps` */
  kind: string;
  name: string;
}

export function badRequest(message: string): Refusal {
  return new Refusal(400, 'BadRequest', message);
}

export function notFound(message: string, about: About, remedy?: Remedy): Refusal {
  return new Refusal(404, 'NotFound', message, about, remedy);
}

export function conflict(message: string, about: About): Refusal {
  return new Refusal(409, 'Conflict', message, about);
}

export function alreadyExists(message: string, about: About, remedy?: Remedy): Refusal {
  return new Refusal(409, 'AlreadyExists', message, about, remedy);
}

/** A 422 in Kubernetes' format, which names each invalid field by its path. */
export function invalid(about: About, problems: readonly { field: string; problem: string }[]): Refusal {
  const name = shortened(about.name, longestName);
  const text = problems.map(({ field, problem }) => `${field}: ${problem}`).join(', ');
  const causes = problems.map(({ field, problem }) => ({
    reason: 'FieldValueInvalid',
    message: problem,
    field,
  }));
  return new Refusal(422, 'Invalid', `${about.kind} ${JSON.stringify(name)} is invalid: ${text}`, {
    kind: about.kind,
    name,
    causes,
  });
}
