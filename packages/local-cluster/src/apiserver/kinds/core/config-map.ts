import { type FieldError, forbiddenField, invalid, tooLong } from '../../errors/field-error.ts';
import { configKey, dnsSubdomain } from '../../meta/names.ts';
import { type ApiObject, equal } from '../../object.ts';
import { ageColumn, nameColumn } from '../../representation/columns.ts';
import { defineKind } from '../define-kind.ts';

interface ConfigMap extends ApiObject {
  data?: Record<string, string>;
  binaryData?: Record<string, string>;
  immutable?: boolean;
}

/** Maximum total size of all values in bytes; the same for Secrets. */
export const maxDataBytes = 1024 * 1024;

export const configMap = defineKind<ConfigMap>({
  group: '',
  kind: 'ConfigMap',
  plural: 'configmaps',
  shortNames: ['cm'],
  storageVersionHash: 'qFsyl6wFWjQ=',
  definition: 'io.k8s.api.core.v1.ConfigMap',
  strategy: { nameRule: dnsSubdomain, validate, validateUpdate },
  columns: [
    nameColumn,
    {
      name: 'Data',
      value: ({ data = {}, binaryData = {} }) => Object.keys(data).length + Object.keys(binaryData).length,
    },
    ageColumn,
  ],
});

function validate({ data = {}, binaryData = {} }: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  let size = 0;
  for (const [key, value] of Object.entries(data)) {
    errors.push(...configKey(key).map((each) => invalid(`data[${key}]`, key, each)));
    if (Object.hasOwn(binaryData, key))
      errors.push(invalid(`data[${key}]`, key, 'duplicate of key present in binaryData'));
    size += Buffer.byteLength(value);
  }
  for (const [key, value] of Object.entries(binaryData)) {
    errors.push(...configKey(key).map((each) => invalid(`binaryData[${key}]`, key, each)));
    size += Buffer.byteLength(value, 'base64');
  }
  if (size > maxDataBytes) errors.push(tooLong('[]', maxDataBytes));
  return errors;
}

function validateUpdate(object: ConfigMap, old: ConfigMap): FieldError[] {
  const errors: FieldError[] = [];
  if (old.immutable) {
    if (!object.immutable)
      errors.push(forbiddenField('immutable', 'field is immutable when `immutable` is set'));
    for (const key of ['data', 'binaryData'] as const)
      if (!equal(object[key] ?? {}, old[key] ?? {}))
        errors.push(forbiddenField(key, 'field is immutable when `immutable` is set'));
  }
  return [...errors, ...validate(object)];
}
