/**
 * Redaction of log fields. A Kubernetes object is reduced to its reference, and an error to its type, message and
 * code. Other values are logged unless their key or their format marks them as secret.
 */

const redacted = '[redacted]';
const maxDepth = 5;
const maxItems = 20;

/** Keys are compared without case, dashes and underscores: `Set-Cookie`, `client_secret`, `accessToken`. */
const secretKey =
  /^(data|stringdata|binarydata|body|requestbody|responsebody|setcookie|cookie|credentials?|clientkeydata|.*(authorization|token|password|passwd|passphrase|secret|apikey|privatekey|lastappliedconfiguration))$/;

/** Secrets that are recognised by their format in any text: PEM keys, Authorization headers, user info in URLs. */
const secretText =
  /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*|\b(?:Bearer|Basic)\s+\S+|(?<=:\/\/)[^\s/@]+(?=@)/gi;

/**
 * JWTs. What begins like one also matches without the rest, and stays: otherwise a text of beginnings would be searched to
 * its end from each of them.
 */
const tokenText = /\beyJ[\w-]+(\.[\w-]+\.[\w-]*)?/gi;

/** Redacts the fields of one log call. A Kubernetes object passed instead of fields becomes the field `object`. */
export function redactFields(fields: unknown, withStack: () => boolean): Record<string, unknown> {
  if (typeof fields !== 'object' || fields === null) return {};
  if (isKubernetesObject(fields)) return { object: serializeObject(fields) };
  const value = redactValue(fields, 0, withStack);
  return isRecord(value) ? value : { fields: value };
}

function redactValue(value: unknown, depth: number, withStack: () => boolean): unknown {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value !== 'object' || value === null) return typeof value === 'symbol' ? '[symbol]' : value;
  if (value instanceof Error) return serializeError(value, withStack);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof URL) return `${value.protocol}//${value.host}${value.pathname}`;
  if (isKubernetesObject(value)) return serializeObject(value);
  if (depth >= maxDepth) return '[deep]';
  if (Array.isArray(value)) return shortened(value, (item) => redactValue(item, depth + 1, withStack));
  // Requests, sockets, buffers and maps may contain anything, so only their class is logged.
  if (!isPlain(value)) return `[${value.constructor?.name ?? 'object'}]`;
  const fields: Record<string, unknown> = {};
  for (const [key, field] of Object.entries(value)) {
    fields[key] = redactField(key, field, value, depth, withStack);
  }
  return fields;
}

function redactField(
  key: string,
  value: unknown,
  parent: object,
  depth: number,
  withStack: () => boolean,
): unknown {
  if (key === 'err') return serializeError(value, withStack);
  if (key === 'object') return serializeObject(value);
  if (key === 'objects') return Array.isArray(value) ? shortened(value, serializeObject) : redacted;
  if (value === undefined || value === null) return value;
  if (isSecretKey(key) || (key === 'value' && isJsonPatchOperation(parent))) {
    return isKubernetesObject(value) ? serializeObject(value) : redacted;
  }
  return redactValue(value, depth + 1, withStack);
}

/** Keeps only kind, namespace, name and resourceVersion of an object or of an object reference. */
function serializeObject(value: unknown): Record<string, string> | string {
  if (!isRecord(value)) return '[not an object]';
  const where = isRecord(value['metadata']) ? value['metadata'] : value;
  const parts = { kind: value['kind'], namespace: where['namespace'], name: where['name'] };
  const reference: Record<string, string> = {};
  for (const [key, part] of Object.entries({ ...parts, resourceVersion: where['resourceVersion'] })) {
    if (typeof part === 'string' && part !== '') reference[key] = part;
  }
  return reference;
}

/** Keeps type, message, code and causes, and the stack when `withStack` returns true. Omits fields that hold bodies. */
export function serializeError(value: unknown, withStack: () => boolean, depth = 0): Record<string, unknown> {
  if (!(value instanceof Error)) {
    // The thrown value is not an Error: a string may be logged, the fields of an object may not.
    return { type: typeof value, message: typeof value === 'string' ? redactText(value) : '[not an error]' };
  }
  const { code, status, reason } = value as { code?: unknown; status?: unknown; reason?: unknown };
  return {
    type: value.name === 'Error' ? value.constructor.name : value.name,
    message: redactText(value.message),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
    // Fields of a Kubernetes Status: the HTTP status code, and a reason such as NotFound.
    ...(typeof status === 'number' ? { status } : {}),
    ...(typeof reason === 'string' && /^[A-Za-z]{1,40}$/.test(reason) ? { reason } : {}),
    ...(withStack() && value.stack !== undefined ? { stack: redactText(value.stack) } : {}),
    ...(depth < maxDepth && value.cause !== undefined
      ? { cause: serializeError(value.cause, withStack, depth + 1) }
      : {}),
    ...(depth < maxDepth && value instanceof AggregateError
      ? { errors: shortened(value.errors, (each) => serializeError(each, withStack, depth + 1)) }
      : {}),
  };
}

function redactText(text: string): string {
  return text
    .replace(tokenText, (found, rest) => (rest === undefined ? found : redacted))
    .replace(secretText, redacted);
}

function shortened(items: unknown[], print: (item: unknown) => unknown): unknown[] {
  const printed = items.slice(0, maxItems).map(print);
  return items.length > maxItems ? [...printed, `[${items.length - maxItems} more]`] : printed;
}

function isSecretKey(key: string): boolean {
  return secretKey.test(key.toLowerCase().replace(/[^a-z0-9]/g, ''));
}

function isJsonPatchOperation(value: object): boolean {
  return 'op' in value && 'path' in value;
}

function isKubernetesObject(value: unknown): boolean {
  return isRecord(value) && isRecord(value['metadata']);
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
