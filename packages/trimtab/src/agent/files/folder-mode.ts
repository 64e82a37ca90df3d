import { chmodSync, statSync } from 'node:fs';

const setGroup = 0o2000;

/**
 * Lets all users read a folder, whatever the umask. In a volume of a pod with an fsGroup, the kubelet sets the setgid bit:
 * folders keep it, so that their files belong to that group.
 */
export function allowReading(folder: string): void {
  chmodSync(folder, 0o755 | (statSync(folder).mode & setGroup));
}
