import { watches } from '../areas/watches.ts';
import { holdsOnKubernetes } from '../on-kubernetes.ts';

holdsOnKubernetes(watches);
