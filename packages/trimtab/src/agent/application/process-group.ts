/** Kills all processes of the group that this process leads. */
export function killGroup(leader: number | undefined): void {
  try {
    if (leader !== undefined) process.kill(-leader, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
}
