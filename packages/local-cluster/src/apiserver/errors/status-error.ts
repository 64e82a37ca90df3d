import type { Status } from '@trimtab/kube/wire.ts';

export type StatusDetails = NonNullable<Status['details']>;

/** An error that is sent as a Status, byte for byte as a Kubernetes API server sends it. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: Status & { code: number };

  constructor(
    code: number,
    reason: string | undefined,
    message: string,
    details?: StatusDetails,
    metadata: NonNullable<Status['metadata']> = {},
  ) {
    super(message);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason !== undefined && { reason }),
      ...(details !== undefined && { details }),
      code,
    };
  }
}

/** The resource that an error is about, such as `deployments.apps`. */
export interface ResourceName {
  group: string;
  plural: string;
}

function detailsOf({ group, plural }: ResourceName, name: string): StatusDetails {
  return { name, ...(group !== '' && { group }), kind: plural };
}

function qualified({ group, plural }: ResourceName): string {
  return group === '' ? plural : `${plural}.${group}`;
}

export function notFound(resource: ResourceName, name: string): StatusError {
  const message = `${qualified(resource)} ${JSON.stringify(name)} not found`;
  return new StatusError(404, 'NotFound', message, detailsOf(resource, name));
}

export function alreadyExists(resource: ResourceName, name: string): StatusError {
  const message = `${qualified(resource)} ${JSON.stringify(name)} already exists`;
  return new StatusError(409, 'AlreadyExists', message, detailsOf(resource, name));
}

export function generatedNameExists(resource: ResourceName, name: string): StatusError {
  const message = `${qualified(resource)} ${JSON.stringify(name)} already exists, the server was not able to generate a unique name for the object`;
  return new StatusError(409, 'AlreadyExists', message, {
    ...detailsOf(resource, name),
    retryAfterSeconds: 1,
  });
}

export function conflict(resource: ResourceName, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${qualified(resource)} ${JSON.stringify(name)}: ${why}`;
  return new StatusError(409, 'Conflict', message, detailsOf(resource, name));
}

export function forbidden(
  resource: ResourceName,
  name: string,
  why: string,
  causes?: StatusDetails['causes'],
): StatusError {
  const what =
    name === '' ? `${qualified(resource)} is` : `${qualified(resource)} ${JSON.stringify(name)} is`;
  return new StatusError(403, 'Forbidden', `${what} forbidden: ${why}`, {
    ...(name !== '' && { name }),
    ...(resource.group !== '' && { group: resource.group }),
    kind: resource.plural,
    ...(causes !== undefined && { causes }),
  });
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

export function noSuchResource(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(): StatusError {
  return new StatusError(
    405,
    'MethodNotAllowed',
    'the server does not allow this method on the requested resource',
    {},
  );
}

export function notAcceptable(representations: readonly string[]): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${representations.join(', ')}`;
  return new StatusError(406, 'NotAcceptable', message, {});
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  return new StatusError(
    415,
    'UnsupportedMediaType',
    `the body of the request was in an unknown format - accepted media types include: ${accepted.join(', ')}`,
  );
}

export function tooLarge(message: string): StatusError {
  return new StatusError(413, 'RequestEntityTooLarge', message);
}

export function expired(message: string, metadata?: NonNullable<Status['metadata']>): StatusError {
  return new StatusError(410, 'Expired', message, undefined, metadata);
}

export function internalError(why: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${why}`, {
    causes: [{ message: why }],
  });
}
