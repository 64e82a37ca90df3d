import { mkdir, mkdtemp, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ManualClock } from '@trimtab/test-bed/fakes/manual-clock.ts';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LineCutter, logPrefix, parseLogLine } from './log-line.ts';
import { LogWriter, olderFile } from './log-writer.ts';
import { type LogOptions, type LogSource, readLog } from './read-log.ts';

let folder: string;
let file: string;
let clock: ManualClock;
let troubles: string[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'test-logs-'));
  file = join(folder, '0.log');
  clock = new ManualClock(Date.UTC(2026, 0, 1));
  troubles = [];
});

afterEach(() => rm(folder, { recursive: true, force: true }));

function writer(maxBytes = 1_000_000): LogWriter {
  return new LogWriter({ file, clock, maxBytes, onTrouble: ({ code = '' }) => troubles.push(code) });
}

async function read(options: LogOptions = {}, source?: LogSource): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of readLog(file, options, source, new AbortController().signal)) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}

const bytes = (text: string) => Buffer.from(text);

describe('lines of a log', () => {
  it('are written as container runtimes write them, and read back', () => {
    const line = new LineCutter().cut(bytes('a b\n'), logPrefix(Date.UTC(2026, 0, 1, 12), 'stderr'));
    expect(line.toString()).toBe('2026-01-01T12:00:00.000000000Z stderr F a b\n');
    expect(parseLogLine(line.subarray(0, -1))).toEqual({
      time: '2026-01-01T12:00:00.000000000Z',
      stream: 'stderr',
      isWhole: true,
      text: bytes('a b'),
    });
  });

  it.each(['', 'x', 'x y', 'x y z', 'x stdin F z'])('that are not ours (%j) are skipped', (text) => {
    expect(parseLogLine(bytes(text))).toBeUndefined();
  });

  it('hold every byte in order, however the output was cut into pieces', () => {
    const prefix = logPrefix(0, 'stdout');
    const piece = fc.uint8Array({ maxLength: 12 }).map((each) => Buffer.from(each));
    const withNewlines = fc.string({ unit: fc.constantFrom('a', 'é', '\n'), maxLength: 12 }).map(bytes);
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, withNewlines)), (pieces) => {
        const cutter = new LineCutter(5);
        const cut = Buffer.concat([...pieces.map((each) => cutter.cut(each, prefix)), cutter.end(prefix)]);
        const lines = cut.toString('latin1').split('\n').slice(0, -1);
        const parts = lines.map((line) => parseLogLine(Buffer.from(line, 'latin1')));
        const text = parts.flatMap((each) => [each?.text ?? bytes('?'), bytes(each?.isWhole ? '\n' : '')]);
        expect(Buffer.concat(text)).toEqual(Buffer.concat(pieces));
        for (const each of parts) expect(each?.text.length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

describe('a reader', () => {
  it('sees what was written, the last line even without its end', async () => {
    const log = writer();
    await log.write('stdout', bytes('one\ntw'));
    await log.write('stderr', bytes('oops\n'));
    await log.write('stdout', bytes('o\nthree'));
    await log.close();
    expect(await read()).toBe('one\noops\ntwo\nthree');
    expect(await read({ stream: 'stderr' })).toBe('oops\n');
  });

  it('gets the last lines, those since a moment, times, or no more than so many bytes', async () => {
    const log = writer();
    for (const word of ['one', 'two', 'three']) {
      await log.write('stdout', bytes(`${word}\n`));
      await clock.advance(1_000);
    }
    await log.close();
    expect(await read({ tailLines: 0 })).toBe('');
    expect(await read({ tailLines: 2 })).toBe('two\nthree\n');
    expect(await read({ tailLines: 9 })).toBe('one\ntwo\nthree\n');
    expect(await read({ since: Date.UTC(2026, 0, 1) + 1_000 })).toBe('two\nthree\n');
    expect(await read({ limitBytes: 5 })).toBe('one\nt');
    expect(await read({ tailLines: 1, timestamps: true })).toBe('2026-01-01T00:00:02.000000000Z three\n');
  });

  it('gets a long line in one piece, with one time', async () => {
    const log = writer();
    await log.write('stdout', bytes(`${'x'.repeat(40_000)}\n`));
    await log.close();
    expect(await read({ timestamps: true })).toBe(`2026-01-01T00:00:00.000000000Z ${'x'.repeat(40_000)}\n`);
  });

  it('of a log that is not there hears so', async () => {
    await expect(read()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('gets exactly the last lines, over both files, for every number and size', async () => {
    const log = writer(300);
    for (let n = 0; n < 14; n++) await log.write('stdout', bytes(`line ${n}\n`));
    await log.close();
    const all = (await read()).split('\n').slice(0, -1);
    expect(all.at(-1)).toBe('line 13');
    expect(all.length).toBeLessThan(14);
    for (let n = 0; n <= all.length; n++)
      expect(await read({ tailLines: n })).toBe(
        all
          .slice(all.length - n)
          .map((each) => `${each}\n`)
          .join(''),
      );
  });
});

describe('a program that writes without end', () => {
  it('leaves two files of a bounded size, with the newest output', async () => {
    const log = writer(10_000);
    const chunk = bytes(`${'y'.repeat(99)}\n`.repeat(20));
    for (let n = 0; n < 200; n++) await log.write('stdout', chunk);
    await log.write('stdout', bytes('the end\n'));
    await log.close();
    expect((await stat(file)).size).toBeLessThanOrEqual(10_000);
    expect((await stat(olderFile(file))).size).toBeLessThanOrEqual(10_000);
    expect(await read({ tailLines: 1 })).toBe('the end\n');
  });
});

describe('who follows a log', () => {
  it('gets lines in order and none twice, through every change of the file, up to the end of the container', async () => {
    const log = writer(2_000);
    await log.write('stdout', bytes('0\n'));
    const following = read({ follow: true }, log);
    for (let n = 1; n < 300; n++) {
      await log.write('stdout', bytes(`${n}\n`));
      // A reader that is two files behind misses lines, as with every runtime.
      if (n % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await log.close();
    const got = (await following).split('\n').slice(0, -1).map(Number);
    expect(got.at(-1)).toBe(299);
    expect(new Set(got).size).toBe(got.length);
    expect([...got].sort((a, b) => a - b)).toEqual(got);
  });

  it('may leave at any time', async () => {
    const log = writer();
    await log.write('stdout', bytes('one\n'));
    const leave = new AbortController();
    const got: string[] = [];
    for await (const piece of readLog(file, { follow: true }, log, leave.signal)) {
      got.push(piece.toString());
      leave.abort();
    }
    expect(got).toEqual(['one\n']);
    await log.close();
  });
});

describe('a disk that is full', () => {
  it('costs the output, is reported once, and nothing else happens', async () => {
    await symlink('/dev/full', file);
    const log = writer();
    for (let n = 0; n < 5; n++) await log.write('stdout', bytes('lost\n'));
    await log.close();
    expect(troubles).toEqual(['ENOSPC']);
  });

  it('leaves a gap, and what comes after it is whole', async () => {
    await writeFile(file, '2026-01-01T00:00:00.000000000Z stdout F hal');
    const log = writer();
    await rm(folder, { recursive: true });
    await log.write('stdout', bytes('lost\n'));
    expect(troubles).toEqual(['ENOENT']);
    await mkdir(folder);
    await log.write('stdout', bytes('again\n'));
    await log.close();
    expect(await read()).toBe('again\n');
  });
});
