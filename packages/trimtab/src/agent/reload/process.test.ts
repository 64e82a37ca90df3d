import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseMounts, parseStat, parseStatus } from './process.ts';
import { readProcess, readProcesses } from './process-table.ts';

describe('/proc of this process', () => {
  const self = readProcess(process.pid);

  test('names its program, parent and user', () => {
    expect(self).toMatchObject({
      pid: process.pid,
      parent: process.ppid,
      uid: process.getuid?.(),
      isZombie: false,
    });
    expect(self?.command).toBe(readFileSync('/proc/self/comm', 'utf8').trimEnd());
    expect(self?.arguments.length).toBeGreaterThan(0);
  });

  test('tells when it started, after the first process and before now', () => {
    const uptimeTicks = Number(readFileSync('/proc/uptime', 'utf8').split(' ')[0]) * 100;
    const ageTicks = process.uptime() * 100;
    // The clock of Node starts some time after the process.
    expect(self?.startTicks).toBeLessThanOrEqual(uptimeTicks - ageTicks + 2);
    expect(self?.startTicks).toBeGreaterThanOrEqual(readProcess(1)?.startTicks ?? Number.POSITIVE_INFINITY);
  });

  test('tells where its root is', () => {
    expect(self?.mounts.some(({ mountPoint }) => mountPoint === '/')).toBe(true);
    for (const { device } of self?.mounts ?? []) expect(device).toMatch(/^\d+:\d+$/);
  });

  test('tells which signals it handles', () => {
    const bit = 1n << 11n;
    const before = readProcess(process.pid)?.signals.caught ?? 0n;
    const onSignal = () => {};
    process.on('SIGUSR2', onSignal);
    const during = readProcess(process.pid)?.signals.caught ?? 0n;
    process.off('SIGUSR2', onSignal);
    expect([before & bit, during & bit]).toEqual([0n, bit]);
  });

  test('is in the list of all processes', () => {
    const all = readProcesses();
    expect(all.find(({ pid }) => pid === process.pid)?.startTicks).toBe(self?.startTicks);
    expect(all.length).toBeGreaterThan(1);
  });
});

test('a process that has ended is not found', async () => {
  const child = spawn('true');
  await once(child, 'exit');
  expect(readProcess(child.pid ?? 0)).toBeUndefined();
});

describe('/proc/PID/stat', () => {
  const rest = (state: string) =>
    `${state} 42 7 7 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 123456 9 10 18446744073709551615`;

  test.each(['nginx', 'a b', 'a) S 1 (b', '(sd-pam)', 'x) R', ')', ''])("of a program '%s'", (command) => {
    expect(parseStat(`17 (${command}) ${rest('S')}\n`)).toEqual({
      command,
      parent: 42,
      startTicks: 123_456,
      isZombie: false,
      isSleeping: true,
    });
  });

  test.each([
    ['R', false, false],
    ['S', false, true],
    ['D', false, false],
    ['T', false, false],
    ['Z', true, false],
    ['X', true, false],
  ])('with the state %s', (state, isZombie, isSleeping) => {
    expect(parseStat(`17 (nginx) ${rest(state)}`)).toMatchObject({ isZombie, isSleeping });
  });
});

test('/proc/PID/status has the user and the signals', () => {
  const text = [
    'Name:\tnginx',
    'State:\tS (sleeping)',
    'Uid:\t101\t102\t103\t104',
    'Gid:\t9\t9\t9\t9',
    'SigPnd:\t0000000000000000',
    'SigBlk:\t0000000000000002',
    'SigIgn:\t0000000040001000',
    'SigCgt:\tffffffff98016a07',
    '',
  ].join('\n');
  expect(parseStatus(text)).toEqual({
    uid: 101,
    signals: { blocked: 0x2n, ignored: 0x40001000n, caught: 0xffffffff98016a07n },
  });
});

describe('/proc/PID/mountinfo', () => {
  test('with optional fields, and without', () => {
    const text = [
      '22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw',
      '38 22 0:33 /pods/1/volumes/config /etc/nginx ro master:2 propagate_from:1 - tmpfs tmpfs rw',
      '39 22 0:34 / /proc rw - proc proc rw',
      '',
    ].join('\n');
    expect(parseMounts(text)).toEqual([
      { device: '8:1', root: '/', mountPoint: '/' },
      { device: '0:33', root: '/pods/1/volumes/config', mountPoint: '/etc/nginx' },
      { device: '0:34', root: '/', mountPoint: '/proc' },
    ]);
  });

  test('with spaces, tabs, line ends and backslashes in paths', () => {
    expect(parseMounts('1 1 8:1 /a\\040b\\011c /d\\012e\\134040 rw - ext4 x rw\n')).toEqual([
      { device: '8:1', root: '/a b\tc', mountPoint: '/d\ne\\040' },
    ]);
  });

  test('without mounts', () => {
    expect(parseMounts('')).toEqual([]);
  });
});
