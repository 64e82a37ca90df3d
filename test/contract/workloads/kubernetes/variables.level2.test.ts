import { holdsOnKubernetes } from '../../api/on-kubernetes.ts';
import { variableContract } from '../areas/variables.ts';

holdsOnKubernetes(variableContract);
