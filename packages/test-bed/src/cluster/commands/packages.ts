import { debianPackages } from '../prerequisites.ts';

export async function packages(): Promise<number> {
  console.log(debianPackages().join(' '));
  return 0;
}
