/** The port that the app listens on when each pod has its own address. */
export const demoPort = 8080;

/** The valid colours, each with the shade that the page shows. */
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

/** Validates the configuration. Throws when the colour is unknown. The greeting is optional. */
export function parseDemoConfig(data: { colour?: string; greeting?: string }): DemoConfig {
  const colour = (data.colour ?? '').trim();
  if (!Object.hasOwn(shades, colour)) throw new Error(`colour '${colour}' unknown`);
  return { colour, greeting: (data.greeting ?? 'Hello').trim() };
}

/** Returns the next colour in the list, so that every good change is visible on the page. */
export function nextColour(colour: string | undefined): string {
  const all = Object.keys(shades);
  return all[(all.indexOf(colour ?? '') + 1) % all.length] ?? 'blue';
}
