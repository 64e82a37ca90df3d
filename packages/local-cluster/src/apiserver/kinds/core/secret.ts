import { type FieldError, forbiddenField, invalid, required, tooLong } from '../../errors/field-error.ts';
import { configKey, dnsSubdomain } from '../../meta/names.ts';
import { type ApiObject, equal, setKey } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { goJsonError } from '../../schema/go-json-error.ts';
import { defineKind } from '../define-kind.ts';
import { maxDataBytes } from './config-map.ts';

interface Secret extends ApiObject {
  data?: Record<string, string>;
  stringData?: Record<string, string>;
  type?: string;
  immutable?: boolean;
}

export const secret = defineKind<Secret>({
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  storageVersionHash: 'S6u1pOWzb84=',
  definition: 'io.k8s.api.core.v1.Secret',
  strategy: {
    nameRule: dnsSubdomain,
    defaults(object) {
      mergeStringData(object);
      object.type ??= 'Opaque';
    },
    validate,
    prepareForUpdate(object, old) {
      // An update that omits the type does not change it.
      if (object.type === undefined) object.type = old.type ?? 'Opaque';
    },
    validateUpdate,
  },
  columns: [
    nameColumn,
    { name: 'Type', value: ({ type = '' }) => type },
    { name: 'Data', value: ({ data = {} }) => Object.keys(data).length },
    ageColumn,
  ],
  selectableFields: { type: ({ type = '' }) => type },
});

/** stringData is write-only; it is merged into data. */
function mergeStringData(object: Secret): void {
  const { stringData } = object;
  if (stringData === undefined) return;
  object.data ??= {};
  for (const [key, value] of Object.entries(stringData))
    setKey(object.data, key, Buffer.from(value).toString('base64'));
  delete object.stringData;
}

const requiredKeys: ReadonlyMap<string, readonly string[]> = new Map([
  ['kubernetes.io/dockercfg', ['.dockercfg']],
  ['kubernetes.io/dockerconfigjson', ['.dockerconfigjson']],
  ['kubernetes.io/ssh-auth', ['ssh-privatekey']],
  ['kubernetes.io/tls', ['tls.crt', 'tls.key']],
]);

const serviceAccountName = 'kubernetes.io/service-account.name';

function validate({ metadata, data = {}, type = '' }: Secret): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.push(...configKey(key).map((each) => invalid(`data[${key}]`, key, each)));
    size += Buffer.byteLength(value, 'base64');
  }
  if (size > maxDataBytes) errors.push(tooLong('data', maxDataBytes));
  if (type === 'kubernetes.io/service-account-token') {
    if (!metadata.annotations?.[serviceAccountName])
      errors.push(required(`metadata.annotations[${serviceAccountName}]`));
  } else if (type === 'kubernetes.io/basic-auth') {
    if (!Object.hasOwn(data, 'username') && !Object.hasOwn(data, 'password'))
      errors.push(required('data[username]'), required('data[password]'));
  } else errors.push(...validateKeys(type, data));
  return errors;
}

function validateKeys(type: string, data: Record<string, string>): FieldError[] {
  return (requiredKeys.get(type) ?? []).flatMap((key) => {
    if (!Object.hasOwn(data, key)) return [required(`data[${key}]`)];
    const text = Buffer.from(data[key] ?? '', 'base64').toString();
    if (!type.includes('docker') || isJson(text)) return [];
    // The error must not show the value, as it is the secret.
    return [invalid(`data[${key}]`, '<secret contents redacted>', goJsonError(text))];
  });
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function validateUpdate(object: Secret, old: Secret): FieldError[] {
  const errors: FieldError[] = [];
  if (object.type !== old.type) errors.push(invalid('type', object.type ?? '', 'field is immutable'));
  if (old.immutable) {
    if (!object.immutable)
      errors.push(forbiddenField('immutable', 'field is immutable when `immutable` is set'));
    if (!equal(object.data ?? {}, old.data ?? {}))
      errors.push(forbiddenField('data', 'field is immutable when `immutable` is set'));
  }
  return [...errors, ...validate(object)];
}
