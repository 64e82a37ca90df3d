import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { checkSource } from './arrows.ts';

const trimtab = 'packages/trimtab/src';

describe('an import against an arrow is found', () => {
  test.each([
    [
      'a package that needs no other',
      'packages/kube/src/log/log.ts',
      "import { x } from 'trimtab/api/names.ts'",
      'kube may import no other package',
    ],
    [
      'the local cluster and the product',
      'packages/local-cluster/src/store/store.ts',
      "import { x } from 'trimtab/api/names.ts'",
      'local-cluster may import kube',
    ],
    [
      'the product and the local cluster',
      `${trimtab}/controller/controller.ts`,
      "import { x } from '@trimtab/local-cluster/store/store.ts'",
      'trimtab may import kube',
    ],
    [
      'the same, but for one entry point',
      `${trimtab}/bin/controller.ts`,
      "import { x } from '@trimtab/local-cluster/store/store.ts'",
      'trimtab may import kube',
    ],
    [
      'the same, and the demo',
      `${trimtab}/bin/local.ts`,
      "import { x } from '@trimtab/demo/up/up.ts'",
      'trimtab may import kube',
    ],
    [
      'another package by a relative path',
      'packages/kube/src/log/log.ts',
      "import { x } from '../../../trimtab/src/api/names.ts'",
      'kube may import no other package',
    ],
    [
      'what ships and the test bed',
      `${trimtab}/gateway/gateway.ts`,
      "import { x } from '@trimtab/test-bed/fakes/manual-clock.ts'",
      'trimtab may import kube',
    ],
    [
      'what ships and its own tests',
      `${trimtab}/gateway/gateway.ts`,
      "import { x } from '../../test/gateway/scene.ts'",
      'sources must not depend on tests',
    ],
    [
      'the tests of another package',
      'packages/trimtab/test/stories/undo.cluster.test.ts',
      "import { x } from '../../../kube/test/watched.ts'",
      'must not be imported by other packages',
    ],
    [
      'the test bed and the product',
      'packages/test-bed/src/engines/engine.ts',
      "import { x } from 'trimtab/api/names.ts'",
      'test-bed may import kube, local-cluster',
    ],
    [
      'a package and the tools',
      'packages/kube/src/log/log.ts',
      "import { x } from '../../../../tools/arrows.ts'",
      'must not depend on tools',
    ],
    [
      'api and anything',
      `${trimtab}/api/names.ts`,
      "import { x } from '../core/plan.ts'",
      'api may import no other folder of the package',
    ],
    [
      'core and a program',
      `${trimtab}/core/plan.ts`,
      "import { x } from '@trimtab/kube/client.ts'",
      'only the types in packages/kube/src/wire.ts',
    ],
    [
      'core and a type of a program',
      `${trimtab}/core/plan.ts`,
      "import type { X } from '@trimtab/kube/client.ts'",
      'only the types in packages/kube/src/wire.ts',
    ],
    [
      'one program and another',
      `${trimtab}/cli/status.ts`,
      "const m = await import('../gateway/server.ts')",
      'cli may import api, core, versions, view',
    ],
    [
      'an export',
      `${trimtab}/core/plan.ts`,
      "export { x } from '../controller/version/plan.ts'",
      'core may import api',
    ],
    [
      "Kubernetes' library",
      'packages/kube/src/watch/store.ts',
      "import k from '@kubernetes/client-node'",
      'only packages/kube/src/identity',
    ],
    [
      "a part of Kubernetes' library",
      'packages/kube/src/watch/store.ts',
      "import { y } from '@kubernetes/client-node/dist/config.js'",
      'only packages/kube/src/identity',
    ],
    [
      'the agent and identity',
      `${trimtab}/agent/source/watch.ts`,
      "import { x } from '@trimtab/kube/identity/load-access.ts'",
      'one small binary',
    ],
    [
      'a source outside of all folders',
      `${trimtab}/loose.ts`,
      "import { x } from './controller/controller.ts'",
      'belongs in a folder',
    ],
    [
      'the entry point of the local cluster, and more than that',
      `${trimtab}/bin/local.ts`,
      "import { x } from '@trimtab/test-bed/fakes/manual-clock.ts'",
      'trimtab may import kube',
    ],
    [
      'a folder that nobody has decided about',
      `${trimtab}/novel/thing.ts`,
      "import { x } from '../api/names.ts'",
      'novel has no import rules',
    ],
  ])('%s', (_, file, source, because) => {
    expect(checkSource(file, source)).toMatchObject([{ because: expect.stringContaining(because) }]);
  });

  test('with its line and the file it points to', () => {
    const source = "import a from 'node:fs';\n\nimport { x } from '@trimtab/kube/client.ts';\n";
    expect(checkSource(`${trimtab}/core/plan.ts`, source)).toMatchObject([
      { line: 3, imports: 'packages/kube/src/client.ts' },
    ]);
  });
});

test.each([
  [`${trimtab}/core/plan.ts`, "import { x } from '../api/names.ts'"],
  [`${trimtab}/core/plan.ts`, "import type { KubeObject } from '@trimtab/kube/wire.ts'"],
  [`${trimtab}/core/activation/plan.ts`, "import { x } from '../workload/verdict.ts'"],
  [`${trimtab}/controller/controller.ts`, "import { x } from '@trimtab/kube/client.ts'"],
  [`${trimtab}/bin/local.ts`, "const m = await import('@trimtab/local-cluster/bin/commands.ts')"],
  [`${trimtab}/cli/build/client-version.ts`, "import m from '../../../package.json' with { type: 'json' }"],
  [`${trimtab}/bin/up.ts`, "const m = await import('@trimtab/demo/up/up.ts')"],
  [`${trimtab}/bin/trimtab.ts`, "const m = await import('../controller/controller.ts')"],
  [`${trimtab}/api/names.ts`, "import { createHash } from 'node:crypto'"],
  ['packages/kube/src/identity/load-access.ts', "import k from '@kubernetes/client-node'"],
  ['packages/kube/src/queue/queue.test.ts', "import { x } from '@trimtab/test-bed/fakes/manual-clock.ts'"],
  ['packages/trimtab/test/stories/undo.cluster.test.ts', "import { x } from '../../src/core/plan.ts'"],
  ['packages/local-cluster/src/apiserver/server.ts', "import { x } from '@trimtab/kube/log/log.ts'"],
  ['demo/up/up.ts', "import { x } from 'trimtab/api/names.ts'"],
  ['tools/generate.ts', "import { x } from '../packages/local-cluster/test/conformance/specs.ts'"],
  ['bench/main.ts', "import { x } from '@trimtab/test-bed/engines/engine.ts'"],
])('%s: %s goes with the arrows', (file, source) => {
  expect(checkSource(file, source)).toEqual([]);
});

test('the wire types that api and core may import are types: nothing of them is left at run time', () => {
  const file = path.join(import.meta.dirname, '../packages/kube/src/wire.ts');
  const left = stripTypeScriptTypes(readFileSync(file, 'utf8')).replaceAll(/\/\*[\s\S]*?\*\//g, '');
  expect(left.trim()).toBe('');
});
