import { parseArgs } from 'node:util';
import { stampFiles } from '../cli/stamp/stamp-files.ts';
import { stampText } from '../core/stamp/stamp-text.ts';

const help = `Usage: node configMapVersion.js [--key NAME] FILE...

Sets the key configMapVersion in text files of any format to a number that only increases: one more than the old number, or the
Unix time in seconds if that is greater. Comments, layout, quotes and line endings stay. A rolling update follows when the key is
in the pod template of a workload: as an environment variable, a label or an annotation.

FILE is a path; - reads standard input and writes standard output. When a file has no such key, no file is changed.

  --key NAME  key to set; defaults to configMapVersion
  -h, --help  print this text

Examples
  node bin/configMapVersion.js deployment.yaml && kubectl apply -f configmap.yaml -f deployment.yaml
  node bin/configMapVersion.js - < deployment.yaml | kubectl apply -f -
`;

const usage = readUsage(process.argv.slice(2));
if ('problem' in usage) {
  process.stderr.write(`error: ${usage.problem}\n\n${help}`);
  process.exitCode = 2;
} else if (usage.help) {
  process.stdout.write(help);
} else {
  const { files, key } = usage;
  const now = Date.now() / 1000;
  const { exitCode, stdout, stderr } = await stampFiles({
    ...{ files, mode: 'write', stamp: (text) => stampText(text, { key, now }) },
  });
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  process.exitCode = exitCode;
}

function readUsage(args: string[]): { files: string[]; key: string; help: boolean } | { problem: string } {
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { key: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    });
    const { key = 'configMapVersion', help: asked = false } = values;
    if (key === '') return { problem: '--key must not be empty' };
    if (positionals.length === 0 && !asked) return { problem: 'at least one FILE is required' };
    return { files: positionals, key, help: asked };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
