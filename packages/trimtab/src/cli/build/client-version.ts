import { readFileSync } from 'node:fs';
import path from 'node:path';
import manifest from '../../../package.json' with { type: 'json' };

/** The commit of the sources, or an empty text. `npm run build` replaces this name in the compiled program. */
declare const TRIMTAB_COMMIT: string | undefined;

export interface ClientVersion {
  version: string;
  /** Undefined outside of a checkout, unless the program was compiled in one. */
  commit?: string;
}

export function clientVersion(): ClientVersion {
  const commit = typeof TRIMTAB_COMMIT === 'string' ? TRIMTAB_COMMIT : checkedOutCommit(import.meta.dirname);
  return { version: `v${manifest.version}`, ...(commit && { commit }) };
}

/** Reads the commit of a checkout from its files, because starting git takes longer than the rest of the command. */
function checkedOutCommit(folder: string): string | undefined {
  const git = path.resolve(folder, '../../../../../.git');
  const head = readText(path.join(git, 'HEAD'));
  const ref = /^ref: (\S+)/.exec(head ?? '')?.[1];
  const text = ref === undefined ? head : (readText(path.join(git, ref)) ?? packedRef(git, ref));
  return /^[0-9a-f]{40,64}$/.exec(text?.trim() ?? '')?.[0];
}

function packedRef(git: string, ref: string): string | undefined {
  const line = readText(path.join(git, 'packed-refs'))
    ?.split('\n')
    .find((each) => each.endsWith(` ${ref}`));
  return line?.split(' ')[0];
}

function readText(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}
