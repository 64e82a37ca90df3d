import { expect, test } from 'vitest';
import type { ConfigBody } from '../../api/config-body.ts';
import { annotations } from '../../api/names.ts';
import { followPatch } from './follow-patch.ts';

const object = (content: Partial<ConfigBody>): ConfigBody => ({
  metadata: { name: 'foo', uid: 'u', resourceVersion: '7' },
  ...content,
});
const metadata = { uid: 'u', resourceVersion: '7', annotations: { [annotations.version]: '2' } };

test('changed keys are written, keys that the version lacks are removed, and the rest is not named', () => {
  const live = object({ data: { same: '1', changed: '1', gone: '1' }, binaryData: { icon: 'aQ==' } });
  const version = object({ data: { same: '1', changed: '2', added: '2' } });
  expect(followPatch(live, version, '2')).toEqual({
    metadata,
    data: { gone: null, changed: '2', added: '2' },
    binaryData: { icon: null },
  });
});

test('a key with the name of an inherited property is a key like any other', () => {
  const live = object({ data: { constructor: '1' } });
  expect(followPatch(live, object({ data: { toString: '2' } }), '2')).toEqual({
    metadata,
    data: { constructor: null, toString: '2' },
  });
});
