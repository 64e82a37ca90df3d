import { lstatSync, readdirSync, readlinkSync } from 'node:fs';
import type { Machine } from './plan-view.ts';

/** The file system of this machine, as far as the current user may read it. */
export const thisMachine: Machine = {
  look(path) {
    try {
      const found = lstatSync(path);
      if (found.isSymbolicLink()) return { type: 'link', target: readlinkSync(path) };
      return found.isDirectory() ? { type: 'folder', mode: found.mode & 0o7777 } : { type: 'file' };
    } catch {
      return undefined;
    }
  },
  names(folder) {
    try {
      return readdirSync(folder);
    } catch {
      return [];
    }
  },
};
