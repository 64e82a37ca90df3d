/** Where it listens, where pods have addresses of their own. */
export const demoPort = 8080;

/** What the demo understands, with the shade that its page shows. */
export const shades: Record<string, string> = {
  blue: '#2f6fde',
  green: '#2c9c69',
  orange: '#e07b24',
  purple: '#8250c8',
  red: '#d2453f',
  teal: '#1b8f9e',
};

export interface DemoConfig {
  colour: string;
  greeting: string;
}

/** Throws for a value that the demo cannot start with. */
export function parseDemoConfig(data: { colour?: string; greeting?: string }): DemoConfig {
  const colour = (data.colour ?? '').trim();
  if (!Object.hasOwn(shades, colour)) throw new Error(`colour '${colour}' unknown`);
  return { colour, greeting: (data.greeting ?? '').trim() };
}

/** The one that follows, so that each good change is one to be seen. */
export function nextColour(colour: string | undefined): string {
  const all = Object.keys(shades);
  return all[(all.indexOf(colour ?? '') + 1) % all.length] ?? 'blue';
}
