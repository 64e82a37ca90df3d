import { createServer } from 'node:net';
import { BedError } from '../terminal/bed-error.ts';

/** Below the kernel's ephemeral port range: outgoing connections never use these ports. */
const lowest = 20_000;
const highest = 32_000;

/** Finds `count` different free ports of 127.0.0.1 that are not in `avoid`. */
export async function freePorts(count: number, avoid: ReadonlySet<number>): Promise<number[]> {
  const found = new Set<number>();
  for (let attempt = 0; attempt < 1000 && found.size < count; attempt++) {
    const port = lowest + Math.floor(Math.random() * (highest - lowest));
    if (!avoid.has(port) && !found.has(port) && (await isFree(port))) found.add(port);
  }
  if (found.size < count)
    throw new BedError(`cannot find ${count} free ports between ${lowest} and ${highest}`);
  return [...found];
}

export function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
