import { shades } from './demo-config.ts';

/** The page of the demo: one live card per pod. Strings from pods are set as text and never as markup. */
export const demoPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Trimtab demo</title>
<style>
  :root { color-scheme: light dark; --ink: #1c2430; --dim: #5d6878; --paper: #f5f6f8; --card: #fff; --line: #dde1e7 }
  @media (prefers-color-scheme: dark) {
    :root { --ink: #e8ebf0; --dim: #97a1b0; --paper: #14181e; --card: #1d232b; --line: #303843 }
  }
  * { box-sizing: border-box }
  body { margin: 0; padding: 2.5rem clamp(1rem, 5vw, 4rem); background: var(--paper); color: var(--ink);
    font: 16px/1.5 system-ui, sans-serif }
  header { display: flex; flex-wrap: wrap; align-items: baseline; gap: .5rem 1.5rem; margin-bottom: 1.5rem }
  h1 { font-size: 1.4rem; margin: 0 }
  #rollout { color: var(--dim) }
  #rollout b { color: var(--ink) }
  main { display: grid; gap: 1rem; grid-template-columns: repeat(auto-fill, minmax(15rem, 1fr)) }
  article { background: var(--card); border: 1px solid var(--line); border-radius: .6rem; overflow: hidden }
  article.leaving { opacity: .45 }
  .swatch { height: 7rem; display: grid; place-items: center; background: var(--line); color: #fff;
    font-size: 1.3rem; font-weight: 600; transition: background .3s }
  .swatch.dark { background: repeating-linear-gradient(45deg, #55303a 0 12px, #6b3a46 12px 24px); font-size: 1rem;
    padding: 0 1rem; text-align: center }
  .facts { padding: .8rem 1rem }
  .facts code { font-size: .85rem; overflow-wrap: anywhere }
  .row { display: flex; justify-content: space-between; gap: 1rem }
  .dim { color: var(--dim) }
  .version { font-weight: 600 }
  footer { margin-top: 2rem; color: var(--dim); max-width: 46rem }
  #lost { color: #d2453f }
</style>
<header><h1>Trimtab demo</h1><span id="rollout" role="status">connecting…</span><span id="lost"></span></header>
<main id="pods"></main>
<footer>Each card is a pod, which is a process on this machine. In the terminal, press <b>g</b> for a good change, <b>b</b>
for a bad change, or <b>u</b> to undo. Or edit the ConfigMap: <code>kubectl edit configmap demo</code>.</footer>
<script>
const shades = ${JSON.stringify(shades)};
const make = (tag, className, text) => {
  const element = document.createElement(tag);
  element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};
function card(pod) {
  const article = make('article', pod.state === 'Terminating' ? 'leaving' : '');
  const shade = shades[pod.colour];
  const swatch = make('div', shade ? 'swatch' : 'swatch dark', shade ? pod.greeting : pod.problem || pod.state);
  if (shade) swatch.style.background = shade;
  const facts = make('div', 'facts');
  const first = make('div', 'row');
  first.append(make('span', 'version', pod.version || 'no version yet'), make('span', 'dim', pod.isReady ? 'Ready' : pod.state));
  const second = make('div', 'row');
  second.append(make('code', 'dim', pod.name), make('span', 'dim', pod.restarts ? pod.restarts + ' restarts' : ''));
  facts.append(first, second);
  article.append(swatch, facts);
  return article;
}
function show({ pods, current, target, phase, problem }) {
  const rollout = document.getElementById('rollout');
  if (problem) { rollout.textContent = problem; return; }
  rollout.replaceChildren('current ', make('b', '', current || 'none'));
  if (target) rollout.append(phase === 'RollingBack' ? ', rolling back from ' : ', rolling out ', make('b', '', target));
  else if (phase === 'Failed') rollout.append(', the last change was rolled back');
  document.getElementById('pods').replaceChildren(...pods.map(card));
}
const events = new EventSource('/events');
events.onmessage = ({ data }) => { document.getElementById('lost').textContent = ''; show(JSON.parse(data)); };
events.onerror = () => { document.getElementById('lost').textContent = 'The pod that served this page is gone; reconnecting…'; };
</script>
</html>
`;
