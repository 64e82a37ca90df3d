import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type FileOwner, readableMode } from './file-mode.ts';

const octal = (mode: number, user: FileOwner['user'], fsGroup: boolean) =>
  readableMode(mode, { user, fsGroup }).toString(8);

test.each([
  [0o644, 'root', false, '644'],
  [0o400, 'root', false, '400'],
  [0o400, 'root', true, '440'],
  [0o644, 'reader', false, '644'],
  [0o644, 'reader', true, '644'],
  [0o400, 'reader', false, '400'],
  [0o640, 'reader', true, '600'],
  [0o040, 'reader', true, '400'],
  [0o500, 'reader', true, '500'],
  [0o644, 'other', false, '644'],
  [0o755, 'other', false, '755'],
  [0o400, 'other', true, '440'],
  [0o500, 'other', true, '550'],
  [0o400, 'other', false, '444'],
  [0o550, 'other', false, '555'],
  [0o000, 'other', false, '400'],
] as const)('%o owned by %s, fsGroup %s', (mode, user, fsGroup, expected) => {
  expect(octal(mode, user, fsGroup)).toBe(expected);
});

/** Whether a process may read a file. Root has no capability that overrides modes. */
function mayRead(
  mode: number,
  file: { user: number; group: number },
  process: { user: number; groups: number[] },
) {
  if (process.user === file.user) return (mode & 0o400) !== 0;
  return (process.groups.includes(file.group) ? mode & 0o040 : mode & 0o004) !== 0;
}

test('each container reads what it could read before', () => {
  const users = fc.constantFrom(0, 1000, 2000, 65_532);
  fc.assert(
    fc.property(
      fc.nat(0o777),
      fc.array(fc.record({ user: users, group: fc.constantFrom(0, 1000, 3000) }), { minLength: 1 }),
      users,
      fc.boolean(),
      (mode, containers, agent, fsGroup) => {
        const isReader = containers.every(({ user }) => user === agent);
        const user = agent === 0 ? 'root' : isReader ? 'reader' : 'other';
        const group = 5000;
        const after = readableMode(mode, { user, fsGroup });
        for (const container of containers) {
          const process = { user: container.user, groups: [container.group, ...(fsGroup ? [group] : [])] };
          const before = fsGroup ? mode | 0o440 : mode;
          const could = mayRead(before, { user: 0, group: fsGroup ? group : 0 }, process);
          const can = mayRead(after, { user: agent, group: fsGroup ? group : agent }, process);
          if (could) expect(can).toBe(true);
        }
      },
    ),
    { numRuns: 2_000 },
  );
});
