import { describe, expect, test } from 'vitest';
import { type Intent, type IntentInput, intent, isNewRequest } from './intent.ts';

const versions = [
  { name: '1.0.0', object: 'foo-a', contentHash: 'a', sequence: 1 },
  { name: '1.0.1', object: 'foo-b', contentHash: 'b', sequence: 2 },
  { name: 'same as 1.0.1', object: 'foo-c', contentHash: 'b', sequence: 3 },
];

const live = (hash: string) => ({ hash, resourceVersion: `rv of ${hash}` });

const wish = (mods: Partial<IntentInput>): Intent =>
  intent({
    release: 'Auto',
    live: live('a'),
    specVersion: undefined,
    requestId: undefined,
    observed: { liveVersion: '1.0.0' },
    versions,
    current: '1.0.0',
    target: undefined,
    ...mods,
  });

const name = (answer: Intent) => (answer.want === 'version' ? answer.version.name : answer.want);

describe('in Auto', () => {
  test('an edit asks for the version with its content, the first of several', () => {
    expect(name(wish({ live: live('b') }))).toBe('1.0.1');
  });

  test('an edit asks for the version that the config names, when it has the content of the config', () => {
    const named = (version: string) => ({ ...live('b'), annotations: { 'trimtab.dev/version': version } });
    expect(name(wish({ live: named('same as 1.0.1') }))).toBe('same as 1.0.1');
    expect(name(wish({ live: named('1.0.0') }))).toBe('1.0.1');
    expect(name(wish({ live: named('same as 1.0.1'), target: '1.0.1' }))).toBe('1.0.1');
    expect(wish({ live: named('same as 1.0.1'), current: '1.0.1' })).toEqual({ want: 'stay' });
  });

  test('a version that is added with the same content does not supersede the one on its way', () => {
    expect(name(wish({ live: live('b'), target: '1.0.1' }))).toBe('1.0.1');
    expect(name(wish({ live: live('b'), target: 'same as 1.0.1' }))).toBe('same as 1.0.1');
  });

  test('an edit back to old content brings the old version back', () => {
    expect(
      name(wish({ live: live('a'), observed: { liveVersion: '1.0.1' }, current: 'same as 1.0.1' })),
    ).toBe('1.0.0');
  });

  test('content that the current version has asks for nothing, though a newer version has it, too', () => {
    expect(wish({ live: live('b'), observed: { liveVersion: '1.0.0' }, current: '1.0.1' })).toEqual({
      want: 'stay',
    });
  });

  test('content without a version waits for one', () => {
    expect(wish({ live: live('c') })).toEqual({ want: 'wait for version' });
  });

  test('a version that a person names is asked for', () => {
    expect(wish({ specVersion: '1.0.1' })).toMatchObject({
      want: 'version',
      because: 'spec',
      clearSpecVersion: false,
    });
  });

  test('it stays asked for while nothing changes', () => {
    const observed = { liveVersion: '1.0.0', specVersion: '1.0.1' };
    expect(name(wish({ specVersion: '1.0.1', observed }))).toBe('1.0.1');
    expect(wish({ specVersion: '1.0.1', observed, current: '1.0.1' })).toEqual({ want: 'stay' });
  });

  test('the next edit takes over and clears it', () => {
    const observed = { liveVersion: '1.0.0', specVersion: '1.0.0' };
    expect(wish({ specVersion: '1.0.0', observed, live: live('b') })).toMatchObject({
      version: { name: '1.0.1' },
      because: 'edit',
      clearSpecVersion: true,
    });
  });

  test('a person who asks for the same version once more is heard before an edit of the same moment', () => {
    const observed = { liveVersion: '1.0.0', specVersion: '1.0.1', requestId: 'first' };
    const edited = { specVersion: '1.0.1', observed, live: live('c') };
    expect(name(wish({ ...edited, requestId: 'second' }))).toBe('1.0.1');
    expect(name(wish({ ...edited, requestId: 'first' }))).toBe('wait for version');
  });

  test('content that had no version when it was observed is edited when the config has changed since', () => {
    const observed = { liveVersion: '', liveResourceVersion: 'rv of b', specVersion: '1.0.0' };
    const asked = { specVersion: '1.0.0', observed, current: '1.0.0' };
    expect(wish({ ...asked, live: live('b') }), 'its version was made').toEqual({ want: 'stay' });
    expect(name(wish({ ...asked, live: { hash: 'b', resourceVersion: '2' } }))).toBe('1.0.1');
    expect(name(wish({ ...asked, live: live('c') }))).toBe('wait for version');
  });

  test('content whose version was deleted is not edited by its next version', () => {
    const observed = { liveVersion: 'deleted', liveResourceVersion: 'rv of b', specVersion: '1.0.0' };
    const asked = { specVersion: '1.0.0', observed, current: '1.0.0' };
    expect(wish({ ...asked, live: live('b') })).toEqual({ want: 'stay' });
    expect(name(wish({ ...asked, live: live('c') }))).toBe('wait for version');
  });

  test('a status of an earlier build, which does not name the live version, does not count as an edit', () => {
    const observed = { liveResourceVersion: '1', specVersion: '1.0.0' };
    expect(wish({ specVersion: '1.0.0', observed, live: live('b') })).toEqual({ want: 'stay' });
  });

  test('when both changed, the person who named a version is heard', () => {
    expect(name(wish({ specVersion: '1.0.1', live: live('c') }))).toBe('1.0.1');
  });

  test('with an empty status, content that is current asks for nothing', () => {
    expect(wish({ observed: undefined })).toEqual({ want: 'stay' });
  });

  test('a name that no version has is said to be unknown', () => {
    expect(wish({ specVersion: '9.9.9' })).toEqual({ want: 'unknown version', name: '9.9.9' });
  });

  test('a deleted config asks for nothing', () => {
    expect(wish({ live: undefined })).toEqual({ want: 'wait for content' });
  });
});

test.each([
  ['nobody has named a version', { specVersion: undefined, requestId: 'x' }, false],
  ['another version is named', { specVersion: '1.0.0', requestId: 'first' }, true],
  ['the same is asked for again', { specVersion: '1.0.1', requestId: 'second' }, true],
  ['nothing is new', { specVersion: '1.0.1', requestId: 'first' }, false],
  ['the mark of asking was dropped', { specVersion: '1.0.1', requestId: undefined }, false],
])('whether a person asks anew: %s', (_, now, anew) => {
  expect(isNewRequest({ ...now, observed: { specVersion: '1.0.1', requestId: 'first' } })).toBe(anew);
});

describe.each(['Manual', 'Locked'] as const)('in %s', (release) => {
  test('an edit asks for nothing', () => {
    expect(wish({ release, live: live('b') })).toEqual({ want: 'stay' });
  });

  test('a version that a person names is asked for', () => {
    expect(name(wish({ release, specVersion: '1.0.1' }))).toBe('1.0.1');
  });
});
