import { type FieldError, forbiddenField, invalid, required } from '../../errors/field-error.ts';
import {
  type FieldReference,
  type ResourceReference,
  validateFieldReference,
  validateResourceReference,
} from './downward-references.ts';
import { type KeyToPath, validateFilePath, validateKeys, validateMode } from './volume-paths.ts';

interface DownwardFile {
  path?: string;
  mode?: number;
  fieldRef?: FieldReference;
  resourceFieldRef?: ResourceReference;
}

interface NamedFiles {
  name?: string;
  items?: KeyToPath[];
}

interface ProjectedSource {
  secret?: NamedFiles;
  configMap?: NamedFiles;
  downwardAPI?: { items?: DownwardFile[] };
  serviceAccountToken?: { path?: string; expirationSeconds?: number };
}

export function validateDownwardFiles(
  { items = [], defaultMode }: { items?: DownwardFile[]; defaultMode?: number },
  path: string,
): FieldError[] {
  // Kubernetes' errors omit the index of the file.
  return [
    ...validateMode(defaultMode, `${path}.defaultMode`),
    ...items.flatMap((file) => validateDownwardFile(file, path)),
  ];
}

function validateDownwardFile(file: DownwardFile, path: string): FieldError[] {
  const errors = file.path ? [] : [required(`${path}.path`)];
  errors.push(...validateFilePath(file.path ?? '', `${path}.path`));
  const { fieldRef, resourceFieldRef } = file;
  if (fieldRef !== undefined) errors.push(...validateFieldReference(fieldRef, 'file', `${path}.fieldRef`));
  else if (resourceFieldRef !== undefined)
    errors.push(...validateResourceReference(resourceFieldRef, 'file', `${path}.resourceFieldRef`));
  if (fieldRef !== undefined && resourceFieldRef !== undefined)
    errors.push(
      invalid(path, 'resource', 'fieldRef and resourceFieldRef can not be specified simultaneously'),
    );
  else if (fieldRef === undefined && resourceFieldRef === undefined)
    errors.push(required(path, 'one of fieldRef and resourceFieldRef is required'));
  return [...errors, ...validateMode(file.mode, `${path}.mode`)];
}

/** Each source has one type, and no two sources write the same file. */
export function validateProjected(
  { sources, defaultMode }: { sources?: ProjectedSource[] | null; defaultMode?: number },
  path: string,
): FieldError[] {
  const files = new Set<string>();
  const taken = (file: string | undefined, owner: string) => {
    if (!file) return [];
    if (files.has(file)) return [invalid(path, owner, 'conflicting duplicate paths')];
    files.add(file);
    return [];
  };
  const errors = validateMode(defaultMode, `${path}.defaultMode`);
  // An empty list is stored as null.
  for (const [index, source] of (sources ?? []).entries()) {
    const at = `${path}.sources[${index}]`;
    for (const key of ['secret', 'configMap'] as const) {
      const named = source[key];
      if (named === undefined) continue;
      if (!named.name) errors.push(required(`${at}.${key}.name`));
      errors.push(...validateKeys(named.items ?? [], `${at}.${key}.items`));
      for (const item of named.items ?? []) errors.push(...taken(item.path, named.name ?? ''));
    }
    for (const file of source.downwardAPI?.items ?? [])
      errors.push(...validateDownwardFile(file, `${at}.downwardAPI`), ...taken(file.path, file.path ?? ''));
    errors.push(...validateToken(source.serviceAccountToken, at, path));
    if (Object.keys(source).length > 1)
      errors.push(forbiddenField(at, 'may not specify more than 1 volume type per source'));
  }
  return errors;
}

const shortestTokenSeconds = 600;

function validateToken(
  token: ProjectedSource['serviceAccountToken'],
  at: string,
  path: string,
): FieldError[] {
  if (token === undefined) return [];
  const { expirationSeconds = shortestTokenSeconds, path: file } = token;
  const field = `${at}.serviceAccountToken.expirationSeconds`;
  const errors: FieldError[] = [];
  if (expirationSeconds < shortestTokenSeconds)
    errors.push(invalid(field, expirationSeconds, 'may not specify a duration less than 10 minutes'));
  if (expirationSeconds > 2 ** 32)
    errors.push(invalid(field, expirationSeconds, 'may not specify a duration larger than 2^32 seconds'));
  if (!file) errors.push(required(`${path}.path`));
  return [...errors, ...validateFilePath(file ?? '', `${path}.path`)];
}
