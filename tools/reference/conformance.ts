import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseVersions } from '@trimtab/test-bed/cluster/build/versions.ts';
import { namesOf, type Reasoned, type Specs } from '../../packages/local-cluster/test/conformance/judge.ts';
import { lists } from '../../packages/local-cluster/test/conformance/specs.ts';

export function conformanceReference(): string {
  const goMod = readFileSync(
    join(import.meta.dirname, '../../packages/test-bed/src/cluster/go/go.mod'),
    'utf8',
  );
  const { mustPass, failsYet, cannotApply } = lists;
  return `# Kubernetes' own specs on the local API server

Generated from \`packages/local-cluster/test/conformance/specs.ts\` by \`npm run generate\`.

\`npm run conformance\` builds the end-to-end tests of Kubernetes ${parseVersions(goMod).kubernetes} and runs the specs below against
local clusters. The run fails when the result of a spec differs from its list. The lists contain every conformance spec of API
machinery, and of the other groups the specs that need only an API server and its controllers.

| | specs |
|---|---|
| must pass | ${count([{ specs: mustPass }])} |
| known failures | ${count(failsYet)} |
| not applicable | ${count(cannotApply)} |

## Must pass

${specLines(mustPass)}

## Known failures

These specs run and are expected to fail; the run reports them as \`fails yet\`. A spec that begins to pass fails the run and must
be moved to the first list.

${failsYet.map(section).join('\n\n')}

## Not applicable

These specs do not run; the run reports them as \`cannot apply\`.

${cannotApply.map(section).join('\n\n')}
`;
}

function section({ because, specs }: Reasoned): string {
  return `### ${because[0]?.toUpperCase()}${because.slice(1)}

${specLines(specs)}`;
}

function specLines(specs: Specs): string {
  return Object.entries(specs)
    .map(([container, texts]) => [`- ${container}`, ...texts.map((text) => `  - ${text}`)].join('\n'))
    .join('\n');
}

function count(parts: readonly { specs: Specs }[]): number {
  return parts.flatMap(({ specs }) => namesOf(specs)).length;
}
