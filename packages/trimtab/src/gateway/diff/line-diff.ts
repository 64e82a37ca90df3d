/** One step from one list of lines to another. */
export type Edit = { keep: string } | { remove: string } | { add: string };

/** Beyond this many differences, the exact shortest script is not worth its time and memory. */
const maxDistance = 1_000;

/**
 * The shortest way from `a` to `b` by lines, as Myers finds it. Texts that have hardly anything in common are
 * answered as a whole: all of the one goes, all of the other comes.
 */
export function lineDiff(a: readonly string[], b: readonly string[], limit = maxDistance): Edit[] {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end])
    end += 1;
  const keep = (line: string): Edit => ({ keep: line });
  const from = a.slice(start, a.length - end);
  const to = b.slice(start, b.length - end);
  return [
    ...a.slice(0, start).map(keep),
    ...(shortest(from, to, limit) ?? replaced(from, to)),
    ...a.slice(a.length - end).map(keep),
  ];
}

function replaced(a: readonly string[], b: readonly string[]): Edit[] {
  return [...a.map((line): Edit => ({ remove: line })), ...b.map((line): Edit => ({ add: line }))];
}

/** How far in `a` one gets on each diagonal (x - y), in one list from the lowest diagonal to the highest. */
interface Reach {
  far: Int32Array;
  zero: number;
}

/** Undefined when there are more differences than `limit`. */
function shortest(a: readonly string[], b: readonly string[], limit: number): Edit[] | undefined {
  const most = Math.min(a.length + b.length, limit);
  const reach: Reach = { far: new Int32Array(2 * most + 3), zero: most + 1 };
  // What was reached before each round: the way back is read from it.
  const rounds: Reach[] = [];
  for (let d = 0; d <= most; d++) {
    rounds.push({ far: reach.far.slice(), zero: reach.zero });
    for (let k = -d; k <= d; k += 2) {
      let x = takesB(reach, k, d) ? at(reach, k + 1) : at(reach, k - 1) + 1;
      while (x < a.length && x - k < b.length && a[x] === b[x - k]) x += 1;
      reach.far[reach.zero + k] = x;
      if (x >= a.length && x - k >= b.length) return wayBack(a, b, rounds);
    }
  }
  return undefined;
}

/** Whether the best way onto diagonal k takes a line of `b`, and not one of `a` away. */
function takesB(reach: Reach, k: number, d: number): boolean {
  return k === -d || (k !== d && at(reach, k - 1) < at(reach, k + 1));
}

function at({ far, zero }: Reach, k: number): number {
  return far[zero + k] ?? 0;
}

function wayBack(a: readonly string[], b: readonly string[], rounds: readonly Reach[]): Edit[] {
  const edits: Edit[] = [];
  let x = a.length;
  let y = b.length;
  const keepDownTo = (lowX: number, lowY: number) => {
    for (; x > lowX && y > lowY; x--, y--) edits.push({ keep: a[x - 1] ?? '' });
  };
  for (let d = rounds.length - 1; d > 0; d--) {
    const before = rounds[d] as Reach;
    const k = x - y;
    const isAdd = takesB(before, k, d);
    const fromX = at(before, isAdd ? k + 1 : k - 1);
    const fromY = fromX - (isAdd ? k + 1 : k - 1);
    keepDownTo(fromX, fromY);
    edits.push(isAdd ? { add: b[fromY] ?? '' } : { remove: a[fromX] ?? '' });
    x = fromX;
    y = fromY;
  }
  keepDownTo(0, 0);
  return edits.reverse();
}
