import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ConfigRoot, type ConfigRootOptions } from './config-root.ts';
import { composeFiles, type FileSet } from './file-set.ts';

let folder: string;
let root: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'test-config-root-'));
  root = join(folder, 'config');
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Files = Record<string, string | Uint8Array>;

function setOf(files: Files): FileSet {
  const entries = new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));
  const config = {
    kind: 'ConfigMap',
    namespace: 'shop',
    name: 'web',
    uid: 'u',
    resourceVersion: '7',
  } as const;
  const rules = { paths: new Map(), subfolders: false, nestedKeys: false };
  const { set, problems } = composeFiles([{ ...config, entries }], rules);
  expect(problems).toEqual([]);
  return set;
}

function open(options: Partial<ConfigRootOptions> = {}): ConfigRoot {
  const opened = new ConfigRoot({ root, fileMode: 0o644, ...options });
  opened.recover();
  return opened;
}

/** The files that a program finds which lists the folders: content by path. */
function found(at = root, prefix = ''): Map<string, string> {
  const files = new Map<string, string>();
  for (const name of existsSync(at) ? readdirSync(at) : []) {
    if (name.startsWith('..') && prefix === '') continue;
    const path = join(at, name);
    if (statSync(path).isDirectory())
      for (const [inner, content] of found(path, `${prefix}${name}/`)) files.set(inner, content);
    else files.set(`${prefix}${name}`, readFileSync(path, 'latin1'));
  }
  return files;
}

/** The files that a program finds which opens these paths. */
function opened(paths: Iterable<string>): Map<string, string> {
  const files = new Map<string, string>();
  for (const path of paths) {
    try {
      files.set(path, readFileSync(join(root, path), 'latin1'));
    } catch (error) {
      expect(['ENOENT', 'ENOTDIR', 'EISDIR']).toContain((error as NodeJS.ErrnoException).code);
    }
  }
  return files;
}

function contentOf({ files }: FileSet): Map<string, string> {
  return new Map([...files].map(([path, content]) => [path, content.toString('latin1')]));
}

/** The names that belong to the agent, without the random part. */
function ownNames(): string[] {
  return readdirSync(root)
    .filter((name) => name.startsWith('..'))
    .map((name) => name.replace(/-.*/, ''))
    .sort();
}

const first = setOf({ 'a.conf': 'a1', 'b.conf': 'b1', 'conf.d/x.conf': 'x1', turns: 'a file' });
const second = setOf({ 'a.conf': 'a2', 'c.conf': 'c2', 'conf.d/y.conf': 'y2', 'turns/into': 'a folder' });
const third = setOf({ 'c.conf': 'c3' });
const empty = setOf({});

describe('the files of a set', () => {
  test('appear below the root, which is created', () => {
    open().write(first);
    expect(found()).toEqual(contentOf(first));
    expect(readlinkSync(join(root, 'a.conf'))).toBe('..data/a.conf');
  });

  test('replace those of the set before, and removed keys go', () => {
    const files = open();
    files.write(first);
    files.write(second);
    expect(found()).toEqual(contentOf(second));
    expect(files.current?.hash).toBe(second.hash);
    expect(ownNames()).toEqual(['..data', '..set']);
  });

  test('can be none', () => {
    const files = open();
    files.write(first);
    files.write(setOf({}));
    expect(found()).toEqual(new Map());
  });

  test('keep every byte', () => {
    const bytes = Uint8Array.from({ length: 70_000 }, (_, i) => i % 256);
    open().write(setOf({ bytes, empty: '' }));
    expect(readFileSync(join(root, 'bytes')).equals(bytes)).toBe(true);
    expect(readFileSync(join(root, 'empty'))).toHaveLength(0);
  });

  test.each([0o644, 0o666, 0o600, 0o440, 0o400])('have the mode %o under every umask', (fileMode) => {
    for (const umask of [0o077, 0o000, 0o022]) {
      const before = process.umask(umask);
      try {
        open({ fileMode }).write(setOf({ a: 'a', 'deep/er/b': `${umask}` }));
        for (const path of ['a', 'deep/er/b'])
          expect(statSync(join(root, path)).mode & 0o7777).toBe(fileMode);
        for (const path of ['..data/', 'deep', 'deep/er'])
          expect(statSync(join(root, path)).mode & 0o7777).toBe(0o755);
        expect(statSync(join(root, '..data/..manifest.json')).mode & 0o7777).toBe(0o600);
      } finally {
        process.umask(before);
      }
    }
  });

  test('are in a root that other users may enter, under every umask', () => {
    const before = process.umask(0o077);
    try {
      open().write(first);
      expect(statSync(root).mode & 0o7777).toBe(0o755);
    } finally {
      process.umask(before);
    }
  });

  test('can be 500 keys, and 1 MiB', () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`key-${i}`, `${i}`]));
    const files = open();
    files.write(setOf({ ...many, large: 'x'.repeat(1024 * 1024) }));
    expect(found().size).toBe(501);
    files.write(third);
    expect(found()).toEqual(contentOf(third));
  });

  test('of others in the root stay', () => {
    mkdirSync(root);
    writeFileSync(join(root, 'theirs'), 'theirs');
    symlinkSync('/etc/hostname', join(root, 'their-link'));
    const files = open();
    files.write(first);
    files.write(second);
    expect(readFileSync(join(root, 'theirs'), 'utf8')).toBe('theirs');
    expect(readlinkSync(join(root, 'their-link'))).toBe('/etc/hostname');
  });
});

describe('the last good set', () => {
  test('is the one that was accepted', () => {
    const files = open();
    expect([files.current, files.good]).toEqual([undefined, undefined]);
    files.accept({ isTold: true });
    expect(files.good).toBeUndefined();
    files.write(first);
    expect(files.good).toBeUndefined();
    files.accept({ isTold: true });
    expect(files.good?.hash).toBe(first.hash);
  });

  test('is kept beside a newer one, and can be put back', () => {
    const files = open();
    files.write(first);
    files.accept({ isTold: true });
    files.write(second);
    files.write(third);
    expect(ownNames()).toEqual(['..data', '..good', '..set', '..set']);
    expect(files.restore({ isTold: true })).toBe(true);
    expect(found()).toEqual(contentOf(first));
    expect(files.current?.hash).toBe(first.hash);
    expect(ownNames()).toEqual(['..data', '..good', '..set']);
  });

  test('is put back twice without a change', () => {
    const files = open();
    files.write(first);
    files.accept({ isTold: true });
    files.write(second);
    expect([files.restore({ isTold: true }), files.restore({ isTold: true })]).toEqual([true, true]);
    expect(found()).toEqual(contentOf(first));
  });

  test('cannot be put back when there is none; the visible set stays', () => {
    const files = open();
    files.write(first);
    expect(files.restore({ isTold: true })).toBe(false);
    expect(found()).toEqual(contentOf(first));
  });

  test('is found again by the next process, as is a set that was not accepted', () => {
    const files = open();
    files.write(first);
    files.accept({ isTold: true });
    files.write(second);
    const next = open();
    expect([next.current?.hash, next.good?.hash]).toEqual([second.hash, first.hash]);
    expect(next.good?.sources).toEqual(first.sources);
    expect(found()).toEqual(contentOf(second));
    next.restore({ isTold: true });
    expect(found()).toEqual(contentOf(first));
  });
});

describe('a set with a torn file', () => {
  const tear = (path: string) => truncateSync(realpathSync(join(root, path)), 0);

  test('is not used, and the last good one is back', () => {
    const files = open();
    files.write(first);
    files.accept({ isTold: true });
    files.write(second);
    tear('c.conf');
    const next = open();
    expect([next.current?.hash, next.good?.hash]).toEqual([first.hash, first.hash]);
    expect(found()).toEqual(contentOf(first));
  });

  test('is not used when it was the good one, and the visible one stays', () => {
    const files = open();
    files.write(first);
    files.accept({ isTold: true });
    tear('a.conf');
    files.write(second);
    const next = open();
    expect([next.current?.hash, next.good]).toEqual([second.hash, undefined]);
    expect(found()).toEqual(contentOf(second));
    expect(ownNames()).toEqual(['..data', '..set']);
  });

  test('is not used when it is the only one, and the next one is written', () => {
    const files = open();
    files.write(first);
    files.accept({ isTold: true });
    tear('a.conf');
    const next = open();
    expect([next.current, next.good]).toEqual([undefined, undefined]);
    expect(found()).toEqual(new Map());
    next.write(first);
    expect(found()).toEqual(contentOf(first));
    expect(ownNames()).toEqual(['..data', '..set']);
  });

  test('is not used when its folder is gone', () => {
    open().write(first);
    rmSync(realpathSync(join(root, '..data')), { recursive: true });
    expect(open().current).toBeUndefined();
    expect(found()).toEqual(new Map());
  });
});

describe('what others put in the place of a key is refused and stays', () => {
  /** Puts the obstacle there, and returns a function that describes it. */
  const obstacles: Record<string, (path: string) => () => unknown> = {
    'a file': (path) => {
      writeFileSync(path, 'theirs');
      return () => readFileSync(path, 'utf8');
    },
    'a folder': (path) => {
      mkdirSync(path);
      writeFileSync(join(path, 'x.conf'), 'theirs');
      return () => [lstatSync(path).isDirectory(), readdirSync(path)];
    },
    'a link out of the root': (path) => {
      const outside = join(folder, 'outside');
      writeFileSync(outside, 'theirs');
      symlinkSync(outside, path);
      return () => [readlinkSync(path), readFileSync(outside, 'utf8')];
    },
    'a link to a folder outside': (path) => {
      const outside = join(folder, 'outside');
      mkdirSync(outside);
      symlinkSync(outside, path);
      return () => [readlinkSync(path), readdirSync(outside)];
    },
    'a link to another key': (path) => {
      symlinkSync('..data/a.conf', path);
      return () => readlinkSync(path);
    },
    'a link that leads nowhere': (path) => {
      symlinkSync('nowhere', path);
      return () => [readlinkSync(path), existsSync(join(root, 'nowhere'))];
    },
  };

  for (const [what, put] of Object.entries(obstacles))
    for (const key of ['c.conf', 'conf.e/x.conf'])
      test(`${what} for ${key}`, () => {
        const files = open();
        files.write(first);
        files.accept({ isTold: true });
        const name = key.split('/')[0] ?? '';
        const describeObstacle = put(join(root, name));
        const before = describeObstacle();
        expect(() => files.write(setOf({ 'a.conf': 'a2', new: 'n', [key]: 'c2' }))).toThrow(
          `${join(root, name)} exists and was not written by the agent. Move it away, or choose another --configroot.`,
        );
        expect(describeObstacle()).toEqual(before);
        expect(opened(first.files.keys())).toEqual(contentOf(first));
        expect(files.current?.hash).toBe(first.hash);
        expect(readdirSync(root)).not.toContain('new');
        expect(ownNames()).toEqual(['..data', '..good', '..set']);
        rmSync(join(root, name), { recursive: true });
        files.write(second);
        expect(found()).toEqual(contentOf(second));
      });

  test('and a link in the place of ..data is replaced, not followed', () => {
    const outside = join(folder, 'outside');
    mkdirSync(outside);
    mkdirSync(root);
    symlinkSync(outside, join(root, '..data'));
    open().write(first);
    expect(readdirSync(outside)).toEqual([]);
    expect(found()).toEqual(contentOf(first));
  });
});

/** Ends a process at one of its steps: nothing happens on disk after it. */
function killedAt(count: number): { onStep: (step: string) => void; reached: () => string | undefined } {
  let step = 0;
  let last: string | undefined;
  return {
    onStep(name) {
      if (step++ < count) return;
      last ??= name;
      throw new Error('killed');
    },
    reached: () => last,
  };
}

function ignoringTheKill(work: () => void): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof Error && error.message === 'killed')) throw error;
  }
}

test('a set that is back remains to be told until it is accepted, also for the next process', () => {
  const files = open();
  files.write(setOf({ a: '1' }));
  files.accept({ isTold: true });
  files.write(setOf({ a: '2' }));
  files.restore({ isTold: false });
  const next = open();
  expect([files.isUntold, next.isUntold]).toEqual([true, true]);
  next.accept({ isTold: true });
  expect([next.isUntold, open().isUntold]).toEqual([false, false]);
});

test('the output of a command that a process left behind is removed', () => {
  open();
  writeFileSync(join(root, '..output-0a1b2c'), 'secret');
  open();
  expect(readdirSync(root)).toEqual([]);
});

describe('a process that is killed', () => {
  const names = new Set([first, second].flatMap(({ files }) => [...files.keys()]));

  /** Runs `work` on a new folder once for each of its steps, and kills it there. */
  function killAtEachStep(
    prepare: () => void,
    work: (files: ConfigRoot) => void,
    expected: FileSet[],
  ): string[] {
    const reached: string[] = [];
    for (let count = 0; ; count++) {
      rmSync(root, { recursive: true, force: true });
      prepare();
      const kill = killedAt(count);
      ignoringTheKill(() => work(open(kill)));
      const step = kill.reached();
      if (step === undefined) return reached;
      reached.push(step);
      const sets = expected.map(contentOf);
      expect(sets, `opened at '${step}'`).toContainEqual(opened(names));
      const next = open();
      expect(sets, `found after '${step}'`).toContainEqual(found());
      expect(readdirSync(root).filter((name) => name.endsWith('_tmp'))).toEqual([]);
      const kept = expected.find(({ hash }) => hash === next.current?.hash) ?? empty;
      expect(found(), `after '${step}'`).toEqual(contentOf(kept));
      next.write(third);
      expect(found(), `written after '${step}'`).toEqual(contentOf(third));
      next.accept({ isTold: true });
      expect(ownNames()).toEqual(['..data', '..good', '..set']);
    }
  }

  const steps = ['create set', 'write file', 'write manifest', 'add link', 'prepare ..data', 'switch ..data'];

  test('while it writes the first set leaves that set or none', () => {
    const reached = killAtEachStep(
      () => {},
      (files) => {
        files.write(second);
        files.accept({ isTold: true });
      },
      [empty, second],
    );
    expect(new Set(reached)).toEqual(
      new Set([...steps, 'switched ..data', 'prepare ..good', 'switch ..good', 'switched ..good']),
    );
  });

  test('while it replaces a set leaves the old one or the new one', () => {
    const reached = killAtEachStep(
      () => {
        const files = open();
        files.write(first);
        files.accept({ isTold: true });
      },
      (files) => {
        files.write(second);
        files.accept({ isTold: true });
      },
      [first, second],
    );
    expect(new Set(reached)).toEqual(
      new Set([
        ...steps,
        'switched ..data',
        'remove link',
        'prepare ..good',
        'switch ..good',
        'switched ..good',
        'remove set',
      ]),
    );
  });

  test('while it puts a set back leaves either of the two', () => {
    const reached = killAtEachStep(
      () => {
        const files = open();
        files.write(first);
        files.accept({ isTold: true });
        files.write(second);
      },
      (files) => files.restore({ isTold: true }),
      [first, second],
    );
    expect(reached).toContain('add link');
    expect(reached).toContain('remove set');
  });

  test('while it recovers from another kill leaves either of the two', () => {
    for (let earlier = 0; ; earlier++) {
      const kill = killedAt(earlier);
      killAtEachStep(() => {
        const files = open();
        files.write(first);
        files.accept({ isTold: true });
        ignoringTheKill(() => open(kill).write(second));
      }, () => {}, [first, second]);
      if (kill.reached() === undefined) break;
    }
  });
});

const someFiles = fc
  .dictionary(
    fc.constantFrom(
      'a',
      'b',
      'c',
      'conf.d',
      'conf.d/x',
      'conf.d/y',
      'deep/er/z',
      'deep/er',
      '__proto__',
      '.h',
    ),
    fc.uint8Array({ maxLength: 6 }),
    { maxKeys: 6 },
  )
  .map((files) => {
    const paths = Object.keys(files);
    const isFolder = (path: string) => paths.some((other) => other.startsWith(`${path}/`));
    const entries = Object.entries(files).filter(([path]) => !isFolder(path));
    return setOf(Object.fromEntries(entries));
  });

const someWork = fc.record({
  set: someFiles,
  afterwards: fc.constantFrom('accept', 'restore', 'nothing'),
  restarts: fc.boolean(),
});

test('after every write, accept, restore and restart the folder shows exactly one set', () => {
  fc.assert(
    fc.property(fc.array(someWork, { maxLength: 8 }), (all) => {
      rmSync(root, { recursive: true, force: true });
      let files = open();
      let visible = empty;
      let good: FileSet | undefined;
      for (const { set, afterwards, restarts } of all) {
        files.write(set);
        expect(found()).toEqual(contentOf(set));
        visible = set;
        if (afterwards === 'accept') {
          files.accept({ isTold: true });
          good = set;
        }
        if (afterwards === 'restore') {
          expect(files.restore({ isTold: true })).toBe(good !== undefined);
          visible = good ?? visible;
        }
        if (restarts) files = open();
        expect(found()).toEqual(contentOf(visible));
        expect(opened(visible.files.keys())).toEqual(contentOf(visible));
        expect([files.current?.hash, files.good?.hash]).toEqual([visible.hash, good?.hash]);
        expect(ownNames().filter((name) => name === '..set').length).toBeLessThanOrEqual(2);
      }
    }),
    { numRuns: 60 },
  );
});

test('processes that are killed at random leave the last set or the one before', () => {
  const someKill = fc.record({ set: someFiles, accepts: fc.boolean(), steps: fc.nat({ max: 25 }) });
  fc.assert(
    fc.property(fc.array(someKill, { maxLength: 8 }), (all) => {
      rmSync(root, { recursive: true, force: true });
      let before = empty;
      let good: FileSet | undefined;
      for (const { set, accepts, steps } of all) {
        const wasGood = good;
        ignoringTheKill(() => {
          const files = open({ onStep: killedAt(steps).onStep });
          files.write(set);
          if (accepts) files.accept({ isTold: true });
        });
        const paths = new Set([before, set].flatMap((each) => [...each.files.keys()]));
        const seen = opened(paths);
        expect([contentOf(before), contentOf(set)]).toContainEqual(seen);
        const next = open();
        expect(found()).toEqual(seen);
        before = next.current?.hash === set.hash ? set : before;
        expect([undefined, wasGood?.hash, set.hash]).toContain(next.good?.hash);
        if (wasGood !== undefined) expect(next.good).toBeDefined();
        good = next.good?.hash === set.hash ? set : wasGood;
      }
    }),
    { numRuns: 60 },
  );
});
