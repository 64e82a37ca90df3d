import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { firstName, pathProblem } from './relative-path.ts';

describe('a path below --configroot', () => {
  test.each([
    'nginx.conf',
    '.hidden',
    'conf.d/site.conf',
    'a..b',
    'a/..b',
    'a/...',
    'größe.conf',
    'with a space',
    `${'n'.repeat(255)}/${'n'.repeat(255)}`,
  ])("can be '%s'", (path) => {
    expect(pathProblem(path)).toBeUndefined();
  });

  test.each([
    ['', 'is empty'],
    ['/etc/passwd', 'is absolute; paths are relative to --configroot'],
    ['a\0b', 'contains a NUL byte'],
    ['a//b', "has an empty name or '.' in it"],
    ['a/', "has an empty name or '.' in it"],
    ['.', "has an empty name or '.' in it"],
    ['./a', "has an empty name or '.' in it"],
    ['..', "contains '..'; files are only written below --configroot"],
    ['../a', "contains '..'; files are only written below --configroot"],
    ['a/../../b', "contains '..'; files are only written below --configroot"],
    ['..data', "begins with '..', which is reserved for the agent"],
    ['..set-1/a', "begins with '..', which is reserved for the agent"],
    ['n'.repeat(256), 'has a name of more than 255 bytes'],
    [`a/${'ü'.repeat(128)}`, 'has a name of more than 255 bytes'],
  ])("cannot be '%s'", (path, problem) => {
    expect(pathProblem(path)).toBe(problem);
  });

  test('has the name in the root that its first part is', () => {
    expect(firstName('nginx.conf')).toBe('nginx.conf');
    expect(firstName('conf.d/sites/a.conf')).toBe('conf.d');
  });

  test('is the path of a file, if it has no problem', () => {
    const piece = fc.constantFrom('.', '..', '/', 'a', 'b', '__', '\0');
    fc.assert(
      fc.property(fc.string({ unit: piece, maxLength: 12 }), (path) => {
        if (pathProblem(path) !== undefined) return;
        expect(path.split('/').every((name) => !['', '.', '..'].includes(name))).toBe(true);
        expect(firstName(path).startsWith('..')).toBe(false);
      }),
      { numRuns: 1_000 },
    );
  });
});
