import type { Clock } from '@trimtab/kube/clock.ts';
import { errors, OperationalError } from '@trimtab/kube/errors.ts';
import type { Logger } from '@trimtab/kube/log/log.ts';
import { readTargets, type Targets } from './targets.ts';

/** The file of --notifications, which may change while the controller runs. */
export interface TargetsFile {
  current(): Targets;
  /** Calls `listener` after each change. Returns a function that removes the listener. */
  onChange(listener: () => void): () => void;
}

const intervalMs = 10_000;

/**
 * Reads the file, and follows its changes and those of the files that it names. Rejects with all problems when it is not
 * valid at the start. When it becomes so later, the problems are logged and the last valid content is kept. The files are
 * polled, because the kubelet replaces a directory behind a symbolic link, which file watches miss.
 */
export async function openTargetsFile(
  file: string,
  { clock, log, signal }: { clock: Clock; log: Logger; signal: AbortSignal },
): Promise<TargetsFile> {
  const first = await readTargets(file);
  if ('problems' in first)
    throw new OperationalError(
      errors.ConfigInvalid,
      `--notifications ${file} is not valid:\n${first.problems.map((problem) => `  ${problem}`).join('\n')}`,
    );
  let targets = first;
  let lastProblems = '';
  const listeners = new Set<() => void>();
  const check = async () => {
    const next = await readTargets(file);
    if ('problems' in next) {
      const problems = next.problems.join('; ');
      if (problems !== lastProblems)
        log.warn({ file, problems }, 'notifications file is not valid; keeping the last valid content');
      lastProblems = problems;
      return;
    }
    lastProblems = '';
    if (identity(next) === identity(targets)) return;
    targets = next;
    log.info({ file, targets: next.targets.map(({ name }) => name) }, 'notifications file read again');
    for (const listener of listeners) listener();
  };
  let cancel = () => {};
  const later = () => {
    if (signal.aborted) return;
    cancel = clock.after(intervalMs, () => void check().finally(later));
  };
  later();
  signal.addEventListener('abort', () => cancel(), { once: true });
  return {
    current: () => targets,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function identity({ cluster, targets }: Targets): string {
  const plain = targets.map((target) => ({
    ...target,
    url: target.url.href,
    signingKeys: target.signingKeys.map((key) => key.toString('base64')),
  }));
  return JSON.stringify([cluster, plain]);
}
