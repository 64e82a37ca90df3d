import type { FileHandle } from 'node:fs/promises';

interface Start {
  file: number;
  offset: number;
}

const chunkBytes = 64 * 1024;

/** Finds the start of the last `lines` lines of the files by reading backwards. Defaults to the very beginning. */
export async function tailStart(files: readonly FileHandle[], lines: number | undefined): Promise<Start> {
  if (lines === undefined) return { file: 0, offset: 0 };
  let missing = lines;
  for (const [index, handle] of [...files.entries()].reverse()) {
    const { size } = await handle.stat();
    if (missing === 0) return { file: index, offset: size };
    const found = await countBack(handle, size, missing);
    if (found.offset !== undefined) return { file: index, offset: found.offset };
    missing -= found.lines;
    if (missing === 0) return { file: index, offset: 0 };
  }
  return { file: 0, offset: 0 };
}

/** Reads back over `wanted` lines. Returns their offset, or only the number of lines when the file has no more. */
async function countBack(
  handle: FileHandle,
  size: number,
  wanted: number,
): Promise<{ offset?: number; lines: number }> {
  const buffer = Buffer.alloc(chunkBytes);
  let seen = 0;
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - chunkBytes);
    const { bytesRead } = await handle.read(buffer, 0, end - start, start);
    for (let at = bytesRead - 1; at >= 0; at--) {
      if (buffer[at] !== 10) continue;
      if (seen === wanted) return { offset: start + at + 1, lines: seen };
      seen++;
    }
    end = start;
  }
  return { lines: seen };
}
