import { closeSync, mkdirSync, openSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { Clock } from '@trimtab/kube/clock.ts';
import type { BlankView } from './blank-view.ts';
import { mountFlags, mountTable } from './mount-table.ts';
import type { ViewPlan } from './plan-view.ts';
import type { MountTools } from './probe-mounts.ts';
import { ViewPool } from './view-pool.ts';
import { ViewTemplates } from './view-templates.ts';

/** A mount namespace that exists while this object holds it or a process is in it. */
export interface View {
  /** Paths through which other processes of this user can open the namespaces. */
  namespaces: { mount: string; user?: string };
  close(): void;
}

interface ViewBuilderOptions {
  /** Exclusive to the builder. */
  folder: string;
  tools: MountTools;
  clock: Clock;
}

/** Creates views with shells in new namespaces: opens the namespace, then ends the shell. */
export class ViewBuilder {
  readonly tools: MountTools;
  readonly #moulds: ViewTemplates;
  readonly #spares: ViewPool;

  constructor({ folder, tools, clock }: ViewBuilderOptions) {
    this.tools = tools;
    this.#moulds = new ViewTemplates(folder);
    this.#spares = new ViewPool(tools, clock);
  }

  /** `folder` must be exclusive to the container. */
  async build(folder: string, plan: ViewPlan, signal?: AbortSignal): Promise<View> {
    signal?.throwIfAborted();
    for (const { path: each, isFolder } of plan.insideVolumes) make(each, isFolder);
    const mountInfo = readFileSync('/proc/self/mountinfo', 'utf8');
    const mould = this.#moulds.of(plan, mountInfo);
    const table = writeTable(folder, plan, mould.root, mountInfo);
    const blank = this.#spares.take(mould);
    const kill = () => blank.kill();
    signal?.addEventListener('abort', kill, { once: true });
    try {
      await blank.finish(table);
      return hold(blank, this.tools);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    } finally {
      signal?.removeEventListener('abort', kill);
      // The end of the shell is not awaited: the namespace is already held open, or was not created.
      void blank.close();
      this.#spares.provide(mould);
    }
  }

  async close(): Promise<void> {
    await this.#spares.close();
    this.#moulds.close();
  }
}

/** Returns the path of the table; empty when there is nothing to mount. */
function writeTable(folder: string, { mounts }: ViewPlan, root: string, mountInfo: string): string {
  if (mounts.length === 0) return '';
  const binds = mounts.map(({ path: each, source, isFolder, isReadOnly }) => ({
    source,
    target: `${root}${each}`,
    // Recursive where possible: a user namespace may not bind a folder without the mounts below it, because that
    // would reveal what they hide.
    options: isReadOnly
      ? ['bind', 'ro', ...mountFlags(mountInfo, realpathSync(source))].join(',')
      : isFolder
        ? 'rbind'
        : 'bind',
  }));
  mkdirSync(folder, { recursive: true });
  const table = path.join(folder, 'mounts.fstab');
  writeFileSync(table, mountTable(binds));
  return table;
}

function make(where: string, isFolder: boolean): void {
  mkdirSync(isFolder ? where : path.dirname(where), { recursive: true });
  if (!isFolder) writeFileSync(where, '', { flag: 'a' });
}

function hold({ pid }: BlankView, tools: MountTools): View {
  const mount = openSync(`/proc/${pid}/ns/mnt`, 'r');
  const user = tools.user === undefined ? undefined : openSync(`/proc/${pid}/ns/user`, 'r');
  const pathOf = (descriptor: number) => `/proc/${process.pid}/fd/${descriptor}`;
  let isOpen = true;
  return {
    namespaces: { mount: pathOf(mount), ...(user !== undefined && { user: pathOf(user) }) },
    close() {
      if (!isOpen) return;
      isOpen = false;
      closeSync(mount);
      if (user !== undefined) closeSync(user);
    },
  };
}
