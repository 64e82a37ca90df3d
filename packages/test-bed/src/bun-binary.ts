import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Path of the Bun binary in the npm package for this platform, which works without install scripts. */
export function bunBinary(): string {
  const arch = process.arch === 'arm64' ? 'aarch64' : process.arch;
  const name = `@oven/bun-${process.platform}-${arch}/bin/bun`;
  const path = fileURLToPath(new URL(`../../../node_modules/${name}`, import.meta.url));
  if (!existsSync(path))
    throw new Error(`Bun is not installed: node_modules/${name} is missing. Run \`npm ci\`.`);
  return path;
}
