/** Node has no pseudo-terminals, but `script` has; on the BSDs and macOS it takes the command as it is. */
export function inTerminal(
  command: readonly string[],
  platform: NodeJS.Platform = process.platform,
): string[] {
  if (platform !== 'linux') return ['script', '-q', '/dev/null', ...command];
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  return ['script', '--quiet', '--flush', '--return', '--command', quoted, '/dev/null'];
}
