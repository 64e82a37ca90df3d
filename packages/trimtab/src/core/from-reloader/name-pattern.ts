import { NotSupported, type PatternNode, PatternParser } from './pattern-parser.ts';

/**
 * Regular expressions for names of configs, as Reloader accepts them in its lists. A backtracking engine would let one
 * annotation occupy the controller, so a pattern is matched in time that is linear in the pattern and in the name.
 */

type Step =
  | { does: 'read'; accepts: (character: string) => boolean }
  | { does: 'require'; edge: 'start' | 'end' }
  /** Continues at both steps, which are relative to this one. */
  | { does: 'fork'; by: [number, number] };

/** Bounds the time of a match. A pattern that is longer or has more steps is not supported. */
const maxSteps = 1_000;

/**
 * Returns a function that tells whether a name matches the whole pattern; undefined when the pattern is not valid or uses
 * what is not supported: flags, named groups, classes such as `[:alpha:]`, word boundaries.
 */
export function namePattern(text: string): ((name: string) => boolean) | undefined {
  if (/^[a-z0-9-]*$/.test(text)) return (name) => name === text;
  if (text.length > maxSteps) return undefined;
  try {
    const steps = compile(new PatternParser(text).parse());
    return (name) => matches(steps, name);
  } catch (error) {
    if (error instanceof NotSupported) return undefined;
    throw error;
  }
}

function compile(node: PatternNode): Step[] {
  const steps = compiled(node);
  if (steps.length > maxSteps) throw new NotSupported();
  return steps;
}

function compiled(node: PatternNode): Step[] {
  switch (node.is) {
    case 'character':
      return [{ does: 'read', accepts: node.accepts }];
    case 'start':
    case 'end':
      return [{ does: 'require', edge: node.is }];
    case 'sequence':
      return node.parts.flatMap(compile);
    case 'choice':
      return choice(node.parts.map(compile));
    case 'repeat': {
      const once = compile(node.part);
      if (once.length * node.min > maxSteps) throw new NotSupported();
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

/** Follows all ways through the steps at once, so each character of the name costs at most one visit of each step. */
function matches(steps: readonly Step[], name: string): boolean {
  let reached = reachable(steps, [0], name, 0);
  for (let at = 0; at < name.length; at++) {
    const character = name.charAt(at);
    const next = [...reached].filter((index) => {
      const step = steps[index];
      return step?.does === 'read' && step.accepts(character);
    });
    reached = reachable(
      steps,
      next.map((index) => index + 1),
      name,
      at + 1,
    );
  }
  return reached.has(steps.length);
}

/** The steps that are reached from `from` without reading a character. */
function reachable(steps: readonly Step[], from: readonly number[], name: string, at: number): Set<number> {
  const found = new Set<number>();
  const open = [...from];
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (found.has(index)) continue;
    found.add(index);
    const step = steps[index];
    if (step?.does === 'fork') open.push(index + step.by[0], index + step.by[1]);
    if (step?.does === 'require' && at === (step.edge === 'start' ? 0 : name.length)) open.push(index + 1);
  }
  return found;
}
