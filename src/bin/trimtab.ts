/** The one program of Trimtab. Each command is loaded when it is called, so that none pays for the others. */
const commands: Record<string, () => Promise<{ run(args: string[]): number }>> = {
  start: () => import('./start.ts'),
};

const [name = '', ...args] = process.argv.slice(2);
const load = commands[name];
if (load === undefined) {
  process.stderr.write(`error: unknown command '${name}'; known: ${Object.keys(commands).join(', ')}\n`);
  process.exitCode = 2;
} else {
  const command = await load();
  process.exitCode = command.run(args);
}
