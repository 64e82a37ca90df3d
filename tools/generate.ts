import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { toolArguments } from '@trimtab/test-bed/tool-arguments.ts';
import { loneScript } from './lone-script.ts';
import { dashboard } from './monitoring/dashboard.ts';
import { rules } from './monitoring/rules.ts';
import { agentReference } from './reference/agent.ts';
import { cliReference } from './reference/cli.ts';
import { configRolloutReference } from './reference/config-rollout.ts';
import { conformanceReference } from './reference/conformance.ts';
import { customResourceDefinitions } from './reference/crd.ts';
import { errorReference } from './reference/errors.ts';
import { gatewayGuide, gatewayOpenApi, gatewayReference } from './reference/gateway.ts';
import { metricsReference } from './reference/metrics.ts';
import { reasonReference } from './reference/reasons.ts';

/** Files that are generated from the code. `npm run generate` writes them; `npm test` fails when one is out of date. */
const generated: { file: string; content: () => string | Promise<string> }[] = [
  { file: 'bin/configMapVersion.js', content: configMapVersionScript },
  { file: 'deploy/crd.yaml', content: customResourceDefinitions },
  { file: 'deploy/monitoring/dashboard.json', content: dashboard },
  { file: 'deploy/monitoring/rules.yaml', content: rules },
  { file: 'docs/guides/gateway.md', content: gatewayGuide },
  { file: 'docs/reference/agent.md', content: agentReference },
  { file: 'docs/reference/cli.md', content: cliReference },
  { file: 'docs/reference/config-rollout.md', content: configRolloutReference },
  { file: 'docs/reference/conformance.md', content: conformanceReference },
  { file: 'docs/reference/errors.md', content: errorReference },
  { file: 'docs/reference/gateway.md', content: gatewayReference },
  { file: 'docs/reference/gateway-openapi.json', content: gatewayOpenApi },
  { file: 'docs/reference/metrics.md', content: metricsReference },
  { file: 'docs/reference/reasons.md', content: reasonReference },
];

const help = `Usage: npm run generate [-- --check]

Writes the files that are generated from the code:
${generated.map(({ file }) => `  ${file}`).join('\n')}

  --check     write nothing; fail when a file is out of date
  -h, --help  print this text
`;

const { values } = toolArguments({ help, options: { check: { type: 'boolean' } } });
const root = path.dirname(import.meta.dirname);
for (const { file, content } of generated) {
  const target = path.join(root, file);
  const wanted = await content();
  if (readIfThere(target) === wanted) continue;
  if (values.check) {
    process.stderr.write(`${file} is out of date: run \`npm run generate\` and commit the result\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(target, wanted);
    process.stdout.write(`wrote ${file}\n`);
  }
}

function configMapVersionScript(): string {
  return loneScript('packages/trimtab/src/bin/config-map-version.ts', 'bin/configMapVersion.js');
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
