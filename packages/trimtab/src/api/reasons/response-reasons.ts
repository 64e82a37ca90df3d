/** A reason of a Status that the gateway itself responds with. Those of the API server pass through unchanged. */
interface StatusEntry {
  code: number;
  meaning: string;
  remedy: string;
}

export const statusReasons = {
  BadRequest: {
    code: 400,
    meaning: 'The path, a parameter or the body is not valid.',
    remedy: 'Correct what the message names.',
  },
  Unauthorized: {
    code: 401,
    meaning: 'The credentials are missing, expired or not valid.',
    remedy: 'Send a valid token or client certificate.',
  },
  Forbidden: {
    code: 403,
    meaning: 'The caller may not do this.',
    remedy: 'Grant the right that the message names, or use another identity.',
  },
  NotFound: {
    code: 404,
    meaning: 'The config or the version does not exist.',
    remedy: 'List the versions of the config.',
  },
  MethodNotAllowed: {
    code: 405,
    meaning: 'A version is immutable, or the method is not supported.',
    remedy: 'Add a new version, as the message shows.',
  },
  AlreadyExists: {
    code: 409,
    meaning: 'The config exists, or the version name exists or was used before.',
    remedy: 'Choose another name, or omit the version name.',
  },
  RequestTimeout: {
    code: 408,
    meaning: 'The body arrives too slowly.',
    remedy: 'Send the request again over a faster connection.',
  },
  Conflict: {
    code: 409,
    meaning:
      'The object changed concurrently, a version cannot be deleted, or an awaited activation did not succeed.',
    remedy: 'Read the causes in the details; retry only when the message says so.',
  },
  Expired: {
    code: 410,
    meaning: 'The resourceVersion of a watch is later than any that the gateway knows of this config.',
    remedy: 'Watch again without resourceVersion.',
  },
  PreconditionFailed: {
    code: 412,
    meaning: 'Another version is current than the one that `If-Match` of an activation names.',
    remedy: 'Read the current version again, and decide anew.',
  },
  RequestEntityTooLarge: {
    code: 413,
    meaning: 'The body is larger than the API server accepts.',
    remedy: 'Split the config.',
  },
  UnsupportedMediaType: {
    code: 415,
    meaning: 'The body is neither JSON nor YAML in UTF-8.',
    remedy: 'Set the content type, and send the body uncompressed.',
  },
  ExpectationFailed: {
    code: 417,
    meaning: 'The Expect header has another value than `100-continue`.',
    remedy: 'Remove the header.',
  },
  Invalid: {
    code: 422,
    meaning: 'A field has a value that is not valid.',
    remedy: 'Correct the fields that the causes name.',
  },
  TooManyRequests: {
    code: 429,
    meaning:
      'The caller exceeds a limit: of its rate, of its requests in progress, of their bodies, or of watches of one pod.',
    remedy: 'Retry after the time in the header Retry-After.',
  },
  RequestHeaderFieldsTooLarge: {
    code: 431,
    meaning: 'The request line and the headers are too large, or the headers are too many.',
    remedy: 'Use a token with fewer groups, or send fewer headers.',
  },
  InternalError: {
    code: 500,
    meaning: 'The gateway failed.',
    remedy: 'See the log of the gateway.',
  },
  NotImplemented: {
    code: 501,
    meaning: 'The route is not implemented yet.',
    remedy: 'Upgrade to a release of Trimtab that implements the route.',
  },
  ServiceUnavailable: {
    code: 503,
    meaning: 'The gateway shuts down, is overloaded, has not synced a watch, or cannot reach the API server.',
    remedy: 'Retry; the message says whether something may have changed.',
  },
  Timeout: {
    code: 504,
    meaning: 'The API server did not respond in time.',
    remedy: 'Check whether the request took effect before you retry.',
  },
} as const satisfies Record<string, StatusEntry>;

export type StatusReason = keyof typeof statusReasons;

/** Why a version is not deleted. */
export const keepReasons = {
  Current: 'The version is current.',
  BeingCurrent: 'An activation is rolling the version out.',
  Wanted: '`spec.version` of the ConfigRollout requests the version.',
  Running: 'Pods run the version, or workloads may start pods with it, so it cannot be purged.',
  InUse: 'Pods, ReplicaSets or ControllerRevisions use the version.',
  Unknown: 'The API server did not respond to the deletion; the version may still exist.',
  Unmanaged: 'The config is no longer managed, and other objects still own the version.',
  Live: 'The version has the content of the config and would be created again under another name.',
} as const satisfies Record<string, string>;

export type KeepReasonName = keyof typeof keepReasons;

/** Reasons in the causes of a Conflict, beside those of the condition Degraded. */
export const causeReasons = {
  Superseded: 'Another request or an edit replaced the version before it became current.',
} as const satisfies Record<string, string>;

export type CauseReason = keyof typeof causeReasons;
