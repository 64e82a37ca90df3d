import { describe, expect, test } from 'vitest';
import { checkSource } from './arrows.ts';

describe('an import that points against an arrow fails the build', () => {
  test.each([
    ['src/api/names.ts', "import { x } from '../platform/log.ts'", 'src/api may import nothing'],
    ['src/core/plan.ts', "import { x } from '../kube/client.ts'", 'src/core may import src/api'],
    ['src/core/plan.ts', "import type { X } from '../kube/client.ts'", 'src/core may import src/api'],
    ['src/controller/version/reconcile.ts', "import { x } from '../../local/store.ts'", 'src/controller may'],
    ['src/local/apiserver/get.ts', "export { x } from '../../controller/version/plan.ts'", 'src/local may'],
    ['src/cli/status.ts', "const m = await import('../gateway/server.ts')", 'src/cli may'],
    ['src/kube/watch/store.ts', "import k from '@kubernetes/client-node'", 'only src/kube/identity'],
    [
      'src/kube/watch/store.ts',
      "import k from '@kubernetes/client-node/dist/config.js'",
      'only src/kube/identity',
    ],
    [
      'src/agent/source/watch.ts',
      "import { x } from '../../kube/identity/load-access.ts'",
      'the agent ships',
    ],
    [
      'src/kube/queue/queue.ts',
      "import { x } from '../../../test/support/manual-clock.ts'",
      'must not depend on test',
    ],
    ['src/novel/thing.ts', "import { x } from '../api/errors.ts'", 'src/novel has no arrows yet'],
  ])('%s: %s', (file, source, because) => {
    expect(checkSource(file, source)).toEqual([
      expect.objectContaining({ file, because: expect.stringContaining(because) }),
    ]);
  });
});

test('a violation names the line to look at', () => {
  const source = "import fs from 'node:fs';\n\nimport { x } from '../kube/client.ts';\n";
  expect(checkSource('src/core/plan.ts', source)).toMatchObject([{ line: 3, imports: 'src/kube/client.ts' }]);
});

describe('an import along the arrows passes', () => {
  test.each([
    ['src/core/plan.ts', "import { x } from '../api/names.ts'"],
    ['src/core/plan.ts', "import { x } from './verdict.ts'"],
    ['src/kube/identity/load-access.ts', "import k from '@kubernetes/client-node'"],
    ['src/bin/trimtab.ts', "const m = await import('../local/start.ts')"],
    ['src/kube/queue/queue.test.ts', "import { x } from '../../../test/support/manual-clock.ts'"],
    ['test/e2e/story.test.ts', "import { x } from '../../src/core/plan.ts'"],
    ['src/api/names.ts', "import { createHash } from 'node:crypto'"],
  ])('%s: %s', (file, source) => {
    expect(checkSource(file, source)).toEqual([]);
  });
});
