import { NotSupported, type PatternNode, PatternParser, TooLarge } from './pattern-parser.ts';

/**
 * Regular expressions for names of configs, as Reloader accepts them in its lists. A backtracking engine would let one
 * annotation occupy the controller, so a pattern is matched in time that is linear in the pattern and in the name.
 */

type Step =
  | { does: 'read'; accepts: (character: string) => boolean }
  | { does: 'require'; edge: 'start' | 'end' }
  /** Continues at both steps, which are relative to this one. */
  | { does: 'fork'; by: [number, number] };

export type NameMatcher = (name: string) => boolean;

/** The patterns of a list share this number of steps, which bounds the time and the memory to compile them. */
const maxSteps = 1_000;

/** What patterns may cost in steps. A pattern costs its steps or the length of its text, whichever is more. */
export class StepBudget {
  static readonly max = maxSteps;
  /** A pattern was too large for what was left. */
  isExceeded = false;
  #left = maxSteps;

  /** The steps that were taken. */
  get taken(): number {
    return maxSteps - this.#left;
  }

  take(count: number): void {
    if (count > this.#left) throw new TooLarge();
    this.#left -= count;
  }
}

/**
 * Returns a function that tells whether a name matches `^pattern$`, as Reloader matches it: of the choices of `a|b`, the
 * first is anchored at the start only, and the last at the end. Undefined when the pattern is not valid, exceeds the
 * budget, or uses what is not supported: flags, named groups, classes such as `[:alpha:]`, word boundaries.
 */
export function namePattern(text: string, budget = new StepBudget()): NameMatcher | undefined {
  // Names have dots, which match any character.
  if (/^[a-z0-9.-]*$/.test(text)) return (name) => isLike(name, text);
  try {
    budget.take(text.length);
    // Anchors must not make a valid pattern of another text, such as `*a`.
    new PatternParser(text).parse();
    const steps = compile(new PatternParser(`^${text}$`).parse());
    budget.take(Math.max(0, steps.length - text.length));
    return (name) => isPossible(name) && matches(steps, name);
  } catch (error) {
    if (!(error instanceof NotSupported)) throw error;
    budget.isExceeded ||= error instanceof TooLarge;
    return undefined;
  }
}

/** References may have any text for a name, which is not matched where no object can have it. */
function isPossible(name: string): boolean {
  return /^[a-z0-9.-]{0,253}$/.test(name);
}

function isLike(name: string, text: string): boolean {
  if (name.length !== text.length || !isPossible(name)) return false;
  return [...text].every((character, index) => character === '.' || character === name[index]);
}

function compile(node: PatternNode): Step[] {
  const steps = compiled(node);
  if (steps.length > maxSteps) throw new TooLarge();
  return steps;
}

function compileAll(nodes: readonly PatternNode[]): Step[][] {
  let count = 0;
  return nodes.map((node) => {
    const steps = compile(node);
    count += steps.length;
    if (count > maxSteps) throw new TooLarge();
    return steps;
  });
}

function compiled(node: PatternNode): Step[] {
  switch (node.is) {
    case 'character':
      return [{ does: 'read', accepts: node.accepts }];
    case 'start':
    case 'end':
      return [{ does: 'require', edge: node.is }];
    case 'sequence':
      return compileAll(node.parts).flat();
    case 'choice':
      return choice(compileAll(node.parts));
    case 'repeat': {
      const once = compile(node.part);
      if (once.length * node.min > maxSteps) throw new TooLarge();
      const required = Array.from({ length: node.min }, () => once).flat();
      if (node.max === node.min) return required;
      const optional: Step[] = [{ does: 'fork', by: [1, once.length + 1] }, ...once];
      if (node.max === 1) return [...required, ...optional];
      const forever: Step[] = [
        { does: 'fork', by: [1, once.length + 2] },
        ...once,
        { does: 'fork', by: [-once.length - 1, -once.length - 1] },
      ];
      return [...required, ...forever];
    }
  }
}

function choice(choices: readonly Step[][]): Step[] {
  let steps = choices.at(-1) ?? [];
  for (const first of choices.slice(0, -1).reverse()) {
    const skip: Step = { does: 'fork', by: [steps.length + 1, steps.length + 1] };
    steps = [{ does: 'fork', by: [1, first.length + 2] }, ...first, skip, ...steps];
  }
  return steps;
}

/**
 * Searches the name for the pattern. Follows all ways through the steps at once, from each position, so each character of
 * the name costs at most one visit of each step.
 */
function matches(steps: readonly Step[], name: string): boolean {
  /** The position in the name at which a step was reached last. */
  const reachedAt = new Int16Array(steps.length + 1).fill(-1);
  /** Adds the steps that read a character and are reached from `index` without reading one. */
  const follow = (index: number, at: number, reading: number[]): void => {
    const open = [index];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (reachedAt[next] === at) continue;
      reachedAt[next] = at;
      const step = steps[next];
      if (step?.does === 'read') reading.push(next);
      else if (step?.does === 'fork') open.push(next + step.by[0], next + step.by[1]);
      else if (step?.does === 'require' && at === (step.edge === 'start' ? 0 : name.length))
        open.push(next + 1);
    }
  };
  let reading: number[] = [];
  for (let at = 0; at <= name.length; at++) {
    follow(0, at, reading);
    if (reachedAt[steps.length] === at) return true;
    const character = name.charAt(at);
    const reached: number[] = [];
    for (const index of reading) {
      const step = steps[index];
      if (step?.does === 'read' && step.accepts(character)) follow(index + 1, at + 1, reached);
    }
    reading = reached;
  }
  return false;
}
