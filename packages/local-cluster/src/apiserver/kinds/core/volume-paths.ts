import { type FieldError, invalid, required } from '../../errors/field-error.ts';

export interface KeyToPath {
  key: string;
  path: string;
  mode?: number;
}

export function validateKeys(items: readonly KeyToPath[], path: string): FieldError[] {
  return items.flatMap(({ key, path: file, mode }, index) => {
    const at = `${path}[${index}]`;
    return [
      ...(key ? [] : [required(`${at}.key`)]),
      ...(file ? [] : [required(`${at}.path`)]),
      ...validateFilePath(file ?? '', `${at}.path`),
      ...validateMode(mode, `${at}.mode`),
    ];
  });
}

/** A file path must be inside of the volume, and must not start with `..`, which the kubelet reserves. */
export function validateFilePath(file: string, path: string): FieldError[] {
  const errors = validateDescending(file, path);
  if (file.startsWith('..') && !file.startsWith('../'))
    errors.push(invalid(path, file, "must not start with '..'"));
  return errors;
}

/** A path below a volume: relative and without `..`. */
export function validateDescending(file: string, path: string): FieldError[] {
  const errors = file.startsWith('/') ? [invalid(path, file, 'must be a relative path')] : [];
  return [...errors, ...validateNoSteps(file, path)];
}

export function validateNoSteps(file: string, path: string): FieldError[] {
  return file.split('/').includes('..') ? [invalid(path, file, "must not contain '..'")] : [];
}

const allBits = 0o777;

export function validateMode(mode: number | undefined, path: string): FieldError[] {
  if (mode === undefined || (mode >= 0 && mode <= allBits)) return [];
  return [invalid(path, mode, 'must be a number between 0 and 0777 (octal), both inclusive')];
}
