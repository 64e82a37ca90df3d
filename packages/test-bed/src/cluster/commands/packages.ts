import { programPackages } from '../images/program-images.ts';
import { debianPackages } from '../prerequisites.ts';

/** Programs that tests run on this machine. */
const testPrograms = ['skopeo'];

export async function packages(): Promise<number> {
  console.log([...debianPackages(), ...programPackages(), ...testPrograms].join(' '));
  return 0;
}
