import { type FSWatcher, mkdirSync, readFileSync, watch } from 'node:fs';
import { join } from 'node:path';

export interface FileContent {
  /** Resolves with the time at which the file has this content. */
  becomes(content: string): Promise<number>;
  close(): void;
}

/** Observes a file of a folder by inotify, whether it is written or replaced. */
export function fileContent(folder: string, name: string): FileContent {
  mkdirSync(folder, { recursive: true });
  let waiting: { content: string; resolve: (time: number) => void } | undefined;
  const look = () => {
    if (waiting === undefined || readOrEmpty(join(folder, name)) !== waiting.content) return;
    waiting.resolve(performance.now());
    waiting = undefined;
  };
  const watcher: FSWatcher = watch(folder, look);
  return {
    becomes: (content) =>
      new Promise((resolve) => {
        waiting = { content, resolve };
        look();
      }),
    close: () => watcher.close(),
  };
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
