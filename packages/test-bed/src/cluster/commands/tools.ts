import { ensureTools, toolNames, toolPath } from '../../tools/tool.ts';
import { terminalProgress } from '../terminal/progress.ts';

export async function tools(): Promise<number> {
  await ensureTools(terminalProgress());
  for (const name of toolNames) console.log(toolPath(name));
  return 0;
}
