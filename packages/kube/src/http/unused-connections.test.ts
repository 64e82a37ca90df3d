import type { Socket } from 'node:net';
import { expect, test } from 'vitest';
import { UnusedConnections } from './unused-connections.ts';

function scene(max: number) {
  const closed: string[] = [];
  const unused = new UnusedConnections(max, () => {});
  const open = (name: string, remoteAddress: string) => {
    const socket = { remoteAddress, destroy: () => void closed.push(name) } as unknown as Socket;
    unused.add(socket);
    return socket;
  };
  return { closed, unused, open };
}

test('one address has a quarter, and loses its oldest connection first', () => {
  const { closed, unused, open } = scene(8);
  const first = open('a1', '10.0.0.1');
  open('b1', '10.0.0.2');
  open('a2', '10.0.0.1');
  expect(closed).toEqual([]);
  open('a3', '10.0.0.1');
  expect(closed).toEqual(['a1']);
  // Its end is reported later.
  unused.remove(first);
  open('a4', '10.0.0.1');
  expect(closed).toEqual(['a1', 'a2']);
});

test('an IPv6 client counts with all addresses of its block', () => {
  const { closed, open } = scene(4);
  open('a', '2001:db8::1');
  open('b', '2001:db8::2');
  expect(closed).toEqual(['a']);
});

test('all addresses together have a limit', () => {
  const { closed, unused, open } = scene(4);
  const sockets = [1, 2, 3, 4].map((n) => open(`${n}`, `10.0.0.${n}`));
  for (const socket of sockets.slice(0, 1)) unused.remove(socket);
  open('5', '10.0.0.5');
  expect(closed).toEqual([]);
  open('6', '10.0.0.6');
  expect(closed).toEqual(['2']);
});

test('a connection is forgotten when it has sent a request', () => {
  const { closed, unused, open } = scene(4);
  for (let n = 0; n < 20; n++) unused.remove(open(`${n}`, '10.0.0.1'));
  expect(closed).toEqual([]);
});
