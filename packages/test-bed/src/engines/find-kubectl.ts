import { execFileSync } from 'node:child_process';
import { globSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { versionInfo } from '@trimtab/local-cluster/apiserver/discovery/version.ts';
import { cacheFolder } from '../cluster/state/cache-folder.ts';

/** The kubectl for tests on the local API server, or the reason why none was found. */
export type KubectlChoice = { file: string } | { because: string };

const { major, minor } = versionInfo;
/** Kubernetes supports a kubectl that is one minor version older or newer than the API server. */
const supportedMinors = [Number(minor) - 1, Number(minor), Number(minor) + 1];
const supportedRange = `v${major}.${supportedMinors.at(0)} to v${major}.${supportedMinors.at(-1)}`;

/** Selects the kubectl in TRIMTAB_KUBECTL, the one built by the test bed, or the first supported one on the PATH. */
export function chooseKubectl(env: NodeJS.ProcessEnv = process.env): KubectlChoice {
  const named = env['TRIMTAB_KUBECTL'];
  if (named !== undefined) return named === '' ? { because: 'TRIMTAB_KUBECTL is empty' } : { file: named };
  const [built] = globSync(join(cacheFolder(env), `bin-v${major}.${minor}.*`, 'kubectl'));
  if (built !== undefined) return { file: built };
  const onPath = (env['PATH'] ?? '').split(delimiter).flatMap((folder) => globSync(join(folder, 'kubectl')));
  if (onPath.length === 0) return { because: 'there is no kubectl on the PATH' };
  const versions = onPath.map((file) => ({ file, version: versionOf(file) }));
  const supported = versions.find(({ version }) => isSupported(version));
  if (supported !== undefined) return { file: supported.file };
  const found = versions.map(({ file, version }) => `${file} is ${version ?? 'of an unknown version'}`);
  return { because: `${found.join(', ')}, and the local API server supports ${supportedRange}` };
}

/** The path of the selected kubectl, or undefined. */
export function findKubectl(): string | undefined {
  const choice = chooseKubectl();
  return 'file' in choice ? choice.file : undefined;
}

function isSupported(version: string | undefined): boolean {
  const found = /^v(\d+)\.(\d+)\./.exec(version ?? '');
  return found?.[1] === major && supportedMinors.includes(Number(found[2]));
}

function versionOf(file: string): string | undefined {
  try {
    const text = execFileSync(file, ['version', '--client', '--output=json'], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    return JSON.parse(text).clientVersion.gitVersion;
  } catch {
    return undefined;
  }
}
