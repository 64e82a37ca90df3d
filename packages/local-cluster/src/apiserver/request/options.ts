import {
  type FieldError,
  forbiddenField,
  invalid,
  invalidObject,
  notSupported,
  required,
} from '../errors/field-error.ts';
import { badRequest } from '../errors/status-error.ts';
import { isTrue } from './request-info.ts';

export interface ListOptions {
  labelSelector: string;
  fieldSelector: string;
  watch: boolean;
  allowWatchBookmarks: boolean;
  resourceVersion: string;
  resourceVersionMatch: string;
  timeoutSeconds: number | undefined;
  /** 0 for no limit. */
  limit: number;
  continue: string;
  sendInitialEvents: boolean | undefined;
}

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

export interface WriteOptions {
  dryRun: boolean;
  fieldValidation: FieldValidation;
  fieldManager: string;
  /** For an apply: take over fields of other managers. */
  force: boolean;
}

/** Parses ListOptions. Throws a StatusError for an invalid number, or one that lists all other problems. */
export function listOptions(
  query: URLSearchParams,
  watch: boolean = isTrue(query.get('watch')),
): ListOptions {
  const options: ListOptions = {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    watch,
    allowWatchBookmarks: isTrue(query.get('allowWatchBookmarks')),
    resourceVersion: query.get('resourceVersion') ?? '',
    resourceVersionMatch: query.get('resourceVersionMatch') ?? '',
    timeoutSeconds: query.has('timeoutSeconds') ? integer(query.get('timeoutSeconds') ?? '') : undefined,
    limit: Math.max(0, integer(query.get('limit') ?? '0')),
    continue: query.get('continue') ?? '',
    sendInitialEvents: query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined,
  };
  const errors = options.watch ? watchProblems(options) : listProblems(options);
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind: 'ListOptions' }, '', errors);
  return options;
}

export function integer(text: string): number {
  if (!/^[+-]?\d+$/.test(text))
    throw badRequest(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`);
  return Number(text);
}

const match = 'resourceVersionMatch';

function listProblems(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (options.resourceVersionMatch !== '') {
    if (options.resourceVersion === '')
      errors.push(
        forbiddenField(match, 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
      );
    if (options.continue !== '')
      errors.push(forbiddenField(match, 'resourceVersionMatch is forbidden when continue is provided'));
    if (!['Exact', 'NotOlderThan'].includes(options.resourceVersionMatch))
      errors.push(notSupported(match, options.resourceVersionMatch, ['Exact', 'NotOlderThan', '']));
    if (options.resourceVersionMatch === 'Exact' && options.resourceVersion === '0')
      errors.push(forbiddenField(match, 'resourceVersionMatch "exact" is forbidden for resourceVersion "0"'));
  }
  if (options.sendInitialEvents !== undefined)
    errors.push(forbiddenField('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  return errors;
}

function watchProblems(options: ListOptions): FieldError[] {
  const errors: FieldError[] = [];
  if (options.sendInitialEvents !== undefined && options.resourceVersionMatch !== 'NotOlderThan')
    errors.push(
      forbiddenField(match, 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    );
  if (options.resourceVersionMatch !== '') {
    if (options.sendInitialEvents === undefined)
      errors.push(
        forbiddenField(
          match,
          'resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided',
        ),
      );
    if (options.resourceVersionMatch !== 'NotOlderThan')
      errors.push(notSupported(match, options.resourceVersionMatch, ['NotOlderThan']));
  }
  // A watch without a resourceVersion starts with all current objects, and these are not paged.
  const isFromNow = options.resourceVersion === '' || options.resourceVersion === '0';
  if (options.continue !== '' && (options.resourceVersionMatch !== '' || isFromNow))
    errors.push(forbiddenField(match, 'resourceVersionMatch is forbidden when continue is provided'));
  return errors;
}

/** Parses `CreateOptions`, `UpdateOptions` or `PatchOptions`, which differ in name only, except for an apply. */
export function writeOptions(query: URLSearchParams, kind: string, how?: 'apply'): WriteOptions {
  const errors: FieldError[] = [];
  const manager = query.get('fieldManager') ?? '';
  if (how === 'apply' && manager === '') errors.push(required('fieldManager', 'is required for apply patch'));
  if (manager.length > 128)
    errors.push({
      reason: 'FieldValueTooLong',
      field: 'fieldManager',
      body: 'Too long: may not be more than 128 bytes',
    });
  if (/[^\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(manager))
    errors.push(invalid('fieldManager', manager, 'should only contain printable characters'));
  if (kind === 'PatchOptions' && how !== 'apply' && query.has('force'))
    errors.push(forbiddenField('force', 'may not be specified for non-apply patch'));
  errors.push(...dryRunProblems(query.getAll('dryRun')));
  const validation = query.get('fieldValidation') ?? '';
  if (!['', 'Ignore', 'Strict', 'Warn'].includes(validation))
    errors.push(notSupported('fieldValidation', validation, ['', 'Ignore', 'Strict', 'Warn']));
  if (errors.length > 0) throw invalidObject({ group: 'meta.k8s.io', kind }, '', errors);
  return {
    dryRun: query.getAll('dryRun').includes('All'),
    fieldValidation: (validation || 'Warn') as FieldValidation,
    fieldManager: manager,
    force: how === 'apply' && query.has('force') && isTrue(query.get('force')),
  };
}

export function dryRunProblems(values: readonly string[]): FieldError[] {
  const isFine = values.every((each) => each === 'All');
  return isFine ? [] : [notSupported('dryRun', values, ['All'])];
}
