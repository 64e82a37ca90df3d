import { programPackages } from '../images/program-images.ts';
import { debianPackages } from '../prerequisites.ts';

export async function packages(): Promise<number> {
  console.log([...debianPackages(), ...programPackages()].join(' '));
  return 0;
}
