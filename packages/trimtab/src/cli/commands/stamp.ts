import type { ParsedFlags } from '@trimtab/kube/flags/flags.ts';
import { parseConfig } from '@trimtab/kube/flags/parse-config.ts';
import type { Program, ValidationInput } from '@trimtab/kube/flags/program.ts';
import { checkText } from '../../core/stamp/check-text.ts';
import { configHash } from '../../core/stamp/config-hash.ts';
import { holdsSecret } from '../../core/stamp/holds-secret.ts';
import { setHash, stampByHash } from '../../core/stamp/stamp-by-hash.ts';
import { type Stamped, stampText } from '../../core/stamp/stamp-text.ts';
import { type StampOutcome, stampFiles } from '../stamp/stamp-files.ts';
import { errorCode, readBytes } from '../stamp/text-file.ts';

const flags = {
  filename: {
    type: 'list',
    short: 'f',
    required: true,
    placeholder: 'FILE',
    env: false,
    help: 'File to stamp; may be repeated. - reads standard input and writes standard output.',
  },
  key: {
    type: 'string',
    default: 'configMapVersion',
    placeholder: 'NAME',
    env: false,
    help: 'Key of the number.',
  },
  hashOf: {
    type: 'list',
    placeholder: 'FILE',
    env: false,
    help: 'Config file; may be repeated. The number increases only when the content of these files changed since the last stamp.',
  },
  hashKey: {
    type: 'string',
    default: 'configMapHash',
    placeholder: 'NAME',
    env: false,
    help: 'Key that keeps the hash of the last stamp, for --hash-of. The file must have this key.',
  },
  annotation: {
    type: 'string',
    placeholder: 'NAME',
    env: false,
    help: 'Set this annotation to the SHA-256 of the files of --hash-of, instead of a number.',
  },
  allowSecretHash: {
    type: 'boolean',
    env: false,
    help: 'Allow --hash-of with a file that has a Secret. Whoever may read the manifest or the workload can then test guesses of its values.',
  },
  check: {
    type: 'boolean',
    env: false,
    help: 'Write nothing. Fail when a key is missing or, with --hash-of, when a file is not up to date.',
  },
  dryRun: { type: 'boolean', env: false, help: 'Write nothing. Print what would change.' },
} as const;

export const program = {
  name: 'trimtab stamp',
  envPrefix: false,
  summary:
    'Sets the key configMapVersion in text files of any format to a number that only increases: one more than the old number, or the Unix time in seconds if that is greater. Comments, layout, quotes and line endings stay.',
  flags,
  examples: [
    {
      does: 'Restart the pods of a Deployment with a new config',
      command: 'trimtab stamp -f deployment.yaml && kubectl apply -f configmap.yaml -f deployment.yaml',
    },
    {
      does: 'The same, but only when the config changed',
      command: 'trimtab stamp -f deployment.yaml --hash-of configmap.yaml',
    },
    {
      does: 'Set the annotation that Helm charts use',
      command: 'trimtab stamp -f deployment.yaml --annotation checksum/config --hash-of configmap.yaml',
    },
    {
      does: 'Fail in CI when somebody forgot to stamp',
      command: 'trimtab stamp -f deployment.yaml --hash-of configmap.yaml --check',
    },
  ],
  validate: ({ given, flags: { filename = [], hashOf = [] } }: ValidationInput<typeof flags>) => [
    ...(given.has('annotation') && !given.has('hashOf') ? ['--annotation requires --hash-of'] : []),
    ...(given.has('annotation') && given.has('key') ? ['--annotation and --key exclude each other'] : []),
    ...(given.has('annotation') && given.has('hashKey')
      ? ['--annotation and --hash-key exclude each other']
      : []),
    ...(given.has('hashKey') && !given.has('hashOf') ? ['--hash-key requires --hash-of'] : []),
    ...(given.has('allowSecretHash') && !given.has('hashOf')
      ? ['--allow-secret-hash requires --hash-of']
      : []),
    ...(filename.includes('-') && hashOf.includes('-')
      ? ['--filename and --hash-of cannot both be standard input']
      : []),
    ...(given.has('check') && given.has('dryRun') ? ['--check and --dry-run exclude each other'] : []),
  ],
} as const satisfies Program<typeof flags>;

type StampFlags = ParsedFlags<typeof flags>;

export async function run(argv: string[]): Promise<number> {
  const parsed = parseConfig(program, { argv, env: process.env });
  if (parsed.kind === 'help') {
    process.stdout.write(parsed.text);
    return 0;
  }
  const { exitCode, stdout, stderr } = await stampAll(parsed.flags, Date.now() / 1000);
  process.stdout.write(stdout);
  process.stderr.write(stderr);
  return exitCode;
}

async function stampAll(given: StampFlags, now: number): Promise<StampOutcome> {
  const { filename: files, hashOf, allowSecretHash, check, dryRun } = given;
  const hash = hashOf.length === 0 ? undefined : await hashOfFiles(hashOf, allowSecretHash);
  if (hash !== undefined && 'problem' in hash)
    return { exitCode: 1, stdout: Buffer.alloc(0), stderr: `error: ${hash.problem}\n` };
  const stamp = stampWith(given, now, hash?.value);
  return stampFiles({ files, stamp, mode: check ? 'check' : dryRun ? 'dry-run' : 'write' });
}

function stampWith(
  { key, hashKey, annotation, check }: StampFlags,
  now: number,
  hash: string | undefined,
): (text: string) => Stamped {
  if (hash === undefined)
    return check ? (text) => checkText(text, key) : (text) => stampText(text, { key, now });
  if (annotation !== undefined) return (text) => setHash(text, { key: annotation, hash });
  return (text) => stampByHash(text, { key, now, hashKey, hash });
}

async function hashOfFiles(
  files: readonly string[],
  allowSecretHash: boolean,
): Promise<{ value: string } | { problem: string }> {
  const contents: Buffer[] = [];
  for (const file of files) {
    try {
      contents.push(await readBytes(file));
    } catch (error) {
      return { problem: `--hash-of ${file} cannot be read: ${errorCode(error)}` };
    }
    if (!allowSecretHash && holdsSecret(contents.at(-1) ?? Buffer.alloc(0)))
      return {
        problem: `--hash-of ${file}: the file has a Secret, and whoever may read its hash in a pod template can test guesses of its values: stamp the number without --hash-of, or pass --allow-secret-hash`,
      };
  }
  return { value: configHash(contents) };
}
