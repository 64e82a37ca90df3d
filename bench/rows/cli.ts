import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { readBed } from '@trimtab/test-bed/engines/bed.ts';
import { addVersion } from 'trimtab/versions/writes/add-version.ts';
import { createConfig } from 'trimtab/versions/writes/create-config.ts';
import { BenchError } from '../bench-error.ts';
import { installCrd } from '../install-crd.ts';
import { percentile } from '../percentile.ts';
import type { BenchContext, Row } from '../row.ts';

const usualRuns = 20;
const versions = 10;
const config = 'listed';

/** Budgets: 60 ms for --help, 200 ms for the versions of a config; both from the start of the process to its end. */
export const cli: Row = {
  name: 'cli',
  what: '`trimtab --help` and `trimtab versions`, from start to end, beside kubectl',
  async prepare(context) {
    const { kubectl, kubeconfig } = await readBed(context.bed);
    await installCrd({ kubectl, kubeconfig });
    await createVersions(context);
  },
  async run({ bed, namespace, count: runs = usualRuns, say }) {
    const program = process.env['TRIMTAB_PROGRAM'] ?? path.resolve(import.meta.dirname, '../../dist/trimtab');
    if (!existsSync(program))
      throw new BenchError(`${program} does not exist. Build the program with \`npm run build\`.`);
    const { kubectl, kubeconfig } = await readBed(bed);
    const env = { ...process.env, KUBECONFIG: kubeconfig };
    const commands = {
      help: [program, '--help'],
      kubectlHelp: [kubectl, '--help'],
      versions: [program, 'versions', config, '-n', namespace],
      kubectlGet: [kubectl, 'get', 'configmaps', '-l', `trimtab.dev/config=${config}`, '-n', namespace],
    };
    const taken = new Map<string, number[]>();
    // Alternates between the commands, so that load on the machine affects all of them.
    for (let n = 0; n <= runs; n++) {
      say(`cli: run ${n} of ${runs}`);
      for (const [name, command] of Object.entries(commands)) {
        const ms = await timed(command, env);
        // The first run reads the program from the disk.
        if (n > 0) taken.set(name, [...(taken.get(name) ?? []), ms]);
      }
    }
    const p50 = (name: keyof typeof commands) => percentile(taken.get(name) ?? [], 50);
    const p99 = (name: keyof typeof commands) => percentile(taken.get(name) ?? [], 99);
    const of = `of a config with ${versions} versions`;
    return {
      ours: 'trimtab',
      peer: 'kubectl',
      how: `start of the process to its end, ${runs} runs after a first one; the compiled program; kubectl lists the ConfigMaps of the same versions`,
      figures: [
        figure('--help, p50', p50('help'), p50('kubectlHelp'), 60),
        figure('--help, p99', p99('help'), p99('kubectlHelp')),
        figure(`versions ${of}, p50`, p50('versions'), p50('kubectlGet'), 200),
        figure(`versions ${of}, p99`, p99('versions'), p99('kubectlGet')),
      ],
    };
  },
};

function figure(what: string, ours: number, peer: number, atMost?: number) {
  return { what, unit: 'ms', ours, peer, ...(atMost !== undefined && { budget: { atMost } }) };
}

async function createVersions({ client, namespace }: BenchContext): Promise<void> {
  const address = { kind: 'ConfigMap', namespace, name: config } as const;
  const context = { client, fieldManager: 'trimtab-bench', by: 'bench' };
  const body = (n: number) => ({ metadata: { name: config }, data: { text: `${n}${'x'.repeat(1024)}` } });
  await createConfig(context, address, body(0), '1.0.0', false);
  for (let n = 1; n < versions; n++) await addVersion(context, address, body(n), undefined, false);
}

async function timed([file = '', ...args]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const began = performance.now();
  await promisify(execFile)(file, args, { env });
  return performance.now() - began;
}
