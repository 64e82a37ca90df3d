import { expect, test } from 'vitest';
import { describeWriteError, unlessMissing } from './file-errors.ts';

const failed = (code: string) => Object.assign(new Error(`${code}: failed`), { code });

test.each([
  ['ENOSPC', 'cannot write to /config: no space is left. Enlarge the volume, or its sizeLimit.'],
  ['EDQUOT', 'cannot write to /config: no space is left. Enlarge the volume, or its sizeLimit.'],
  ['EROFS', 'it is mounted read-only. Mount the volume without readOnly in the container of the agent.'],
  ['EACCES', `permission denied for user ${process.getuid?.()}. Set fsGroup of the pod, or run the agent as`],
  ['EPERM', `permission denied for user ${process.getuid?.()}. Set fsGroup of the pod, or run the agent as`],
  ['ENOTDIR', 'a file is in the place of a folder (ENOTDIR). Remove it, or choose another --configroot.'],
  ['EEXIST', 'a file is in the place of a folder (EEXIST). Remove it, or choose another --configroot.'],
  ['ENAMETOOLONG', 'the path of a key is too long. Choose a shorter --path.'],
  ['EIO', 'cannot write to /config: EIO: failed'],
])('%s says what to do', (code, text) => {
  expect(describeWriteError(failed(code), '/config')).toContain(text);
});

test('an error without a code is described by its message', () => {
  expect(describeWriteError(new Error('no luck'), '/config')).toBe('cannot write to /config: no luck');
  expect(describeWriteError('no luck', '/config')).toBe('cannot write to /config: no luck');
});

test('a target that is gone is not an error, and everything else is', () => {
  expect(unlessMissing(failed('ENOENT'))).toBeUndefined();
  expect(() => unlessMissing(failed('EACCES'))).toThrow('EACCES');
});
