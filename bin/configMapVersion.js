#!/usr/bin/env node
// Needs Node.js 18 or later, and no package.
// Generated from packages/trimtab/src/bin/config-map-version.ts by `npm run generate`: change the source.

async function main() {
  const { parseArgs } = await import('node:util');
  const { randomBytes } = await import('node:crypto');
  const {
    closeSync,
    fchmodSync,
    fchownSync,
    fsyncSync,
    openSync,
    readFileSync,
    realpathSync,
    renameSync,
    rmSync,
    statSync,
    writeFileSync,
  } = await import('node:fs');
  const { default: path } = await import('node:path');
  const { buffer } = await import('node:stream/consumers');

  /** Reads a file whose bytes can be written again unchanged. */
  async function readTextFile(name) {
    try {
      if (name === '-') return toText({ name, target: name }, await readBytes(name));
      const target = realpathSync(name);
      const stats = statSync(target);
      if (!stats.isFile()) return { problem: `${name}: is not a regular file` };
      const { mode, uid, gid } = stats;
      return toText({ name, target, owner: { mode: mode & 0o7777, uid, gid } }, await readBytes(target));
    } catch (error) {
      return { problem: `${name}: cannot be read: ${errorCode(error)}` };
    }
  }

  /** Text in another encoding than UTF-8 is read byte by byte: keys and numbers are ASCII in all of them. */
  function toText({ name, target, owner }, bytes) {
    if (bytes.includes(0)) return { problem: `${name}: is not a text file: it contains NUL bytes` };
    const text = bytes.toString('utf8');
    const encoding = Buffer.from(text, 'utf8').equals(bytes) ? 'utf8' : 'latin1';
    return {
      ...{ name, target, encoding, text: encoding === 'utf8' ? text : bytes.toString('latin1') },
      ...(owner !== undefined && { owner }),
    };
  }

  function errorCode(error) {
    const { code, message } = error;
    return code ?? message;
  }

  /** Reads a file, or standard input. */
  async function readBytes(name) {
    return name === '-' ? buffer(process.stdin) : readFileSync(name);
  }

  /**
   * Replaces files by new ones with the same mode and owner. All new files are complete before the first is renamed, so a file
   * that cannot be written leaves the others as they are. Returns the problem.
   */
  function replaceFiles(files) {
    const drafts = [];
    try {
      for (const file of files) {
        const draft = path.join(path.dirname(file.target), `.stamp-${randomBytes(6).toString('hex')}`);
        drafts.push({ file, draft });
        try {
          writeDraft(draft, file);
        } catch (error) {
          return `${file.name}: cannot be written: ${errorCode(error)}; no file was changed`;
        }
      }
      for (const { file, draft } of drafts) {
        try {
          renameSync(draft, file.target);
        } catch (error) {
          return `${file.name}: cannot be replaced: ${errorCode(error)}; the files before it were changed`;
        }
      }
      return undefined;
    } finally {
      for (const { draft } of drafts) rmSync(draft, { force: true });
    }
  }

  function writeDraft(draft, { text, encoding, owner }) {
    const descriptor = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(descriptor, text, encoding);
      if (owner !== undefined) keepOwner(descriptor, owner);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
  }

  function keepOwner(descriptor, { mode, uid, gid }) {
    try {
      fchownSync(descriptor, uid, gid);
    } catch {
      // Only root may give a file to another user. Who may replace the file becomes its owner.
    }
    // A change of the owner clears some bits of the mode, so the mode follows.
    fchmodSync(descriptor, mode);
  }

  /** Reads and stamps all files before it writes the first: when one has a problem, none is changed. */
  async function stampFiles({ files, stamp, mode }) {
    const problems = [];
    const results = [];
    const seen = new Set();
    for (const name of files) {
      const file = await readTextFile(name);
      if ('problem' in file) {
        problems.push(file.problem);
        continue;
      }
      // A file that is named twice, also by a link, is stamped once.
      if (seen.has(file.target)) continue;
      seen.add(file.target);
      const stamped = stamp(file.text);
      for (const { line, message } of stamped.problems)
        problems.push(`${line === undefined ? shown(name) : `${shown(name)}:${line}`}: ${message}`);
      results.push({ file, stamped });
    }
    if (mode === 'check')
      for (const { file, stamped } of results)
        if (stamped.changed)
          problems.push(`${shown(file.name)}: is not up to date: run the command without --check`);
    if (problems.length > 0) return failed(problems);
    const changed = results.flatMap(({ file, stamped }) =>
      stamped.changed && file.name !== '-' ? [{ ...file, text: stamped.text }] : [],
    );
    const problem = mode === 'write' ? replaceFiles(changed) : undefined;
    return problem === undefined ? done(results, mode) : failed([problem]);
  }

  function done(results, mode) {
    const suffix = mode === 'dry-run' ? ' (dry run)' : '';
    const lines = results.map(({ file, stamped }) => `${shown(file.name)}: ${stamped.summary}${suffix}\n`);
    const filter = results.find(({ file }) => file.name === '-');
    // Standard output has the new text and nothing else.
    if (filter !== undefined && mode === 'write')
      return {
        exitCode: 0,
        stdout: Buffer.from(filter.stamped.text, filter.file.encoding),
        stderr: lines.join(''),
      };
    return { exitCode: 0, stdout: Buffer.from(lines.join('')), stderr: '' };
  }

  function failed(problems) {
    const stderr = problems.map((problem) => `error: ${problem}\n`).join('');
    return { exitCode: 1, stdout: Buffer.alloc(0), stderr };
  }

  function shown(name) {
    return name === '-' ? 'standard input' : name;
  }

  /** The comments of a text in an unknown format: after `#` and `//`, in lines that begin with `;`, and in blocks. */
  function findComments(text) {
    const comments = [];
    const lastEnds = new Map(['*/', '-->'].map((closing) => [closing, text.lastIndexOf(closing)]));
    let at = 0;
    while (at < text.length) {
      const newline = text.indexOf('\n', at);
      const lineEnd = newline < 0 ? text.length : newline;
      const line = text.slice(at, lineEnd);
      const block = findBlock(text, line, at, lastEnds);
      if (block !== undefined) {
        comments.push(block);
        at = block.end;
        continue;
      }
      const start = lineComment(line);
      if (start !== undefined) comments.push({ start: at + start, end: lineEnd });
      at = lineEnd + 1;
    }
    return comments;
  }

  /**
   * A block begins at the start of a line: elsewhere, `/*` is as likely a pattern of paths. A block that does not end is none.
   */
  function findBlock(text, line, lineStart, lastEnds) {
    const opening = /^\s*(?:\{\{-?\s*)?(\/\*|<!--)/.exec(line);
    if (opening === null) return undefined;
    const closing = opening[1] === '/*' ? '*/' : '-->';
    const start = lineStart + opening[0].length;
    if ((lastEnds.get(closing) ?? -1) < start) return undefined;
    return { start: lineStart, end: text.indexOf(closing, start) + closing.length };
  }

  /** Returns where the comment of a line begins. A comment sign in quotes or within a word, as in a URL, is none. */
  function lineComment(line) {
    if (/^\s*;/.test(line)) return 0;
    const part = /"(?:[^"\\]|\\.)*"|(?<!\w)'[^']*'|(?<=^|\s)(#|\/\/)|[\s\S]/g;
    for (const match of line.matchAll(part)) if (match[1] !== undefined) return match.index;
    return undefined;
  }

  /** Not a part of a longer name; `app.key` and `--key` are the key, too. */
  const before = String.raw`(?:(?<![\w$@/-])|(?<=(?:^|[\s"'[,=])--))`;
  const quote = '["\'`]';
  /** The anchor and the tag of a value in YAML. */
  const properties = String.raw`(?:[&!][^\s"',\]}]*[ \t]+)*`;
  const value = `${properties}(?:(?<quote>${quote})(?<quoted>(?:(?!\\k<quote>)[^\\r\\n])*)\\k<quote>|(?<bare>[^\\s,;}\\])<"'\`]*))`;
  /** Not `==`, `=>`, `::`, nor the default of a shell variable, `${key:-1}`. */
  const assigns = String.raw`[ \t]*(?::(?![=:~>?+-])|=(?![=~>]))[ \t]*`;
  /** Between two members of an object: a comma or a line break, and comments. */
  const gap = String.raw`(?:[\s,](?:(?:#|\/\/)[^\r\n]*(?=[\r\n]))?)+`;

  /** `key: 1`, `"key": "1"`, `key=1`, `key := 1`, `'key' => 1`, `key: number = 1`, `<key>1</key>`. */
  function pairPattern(key) {
    const separators = [
      `${quote}[ \\t]*=>`,
      `${quote}?\\]?(?:[ \\t]*(?:(?::[ \\t]*(?:number|string|bigint)[ \\t]*|[:?])=(?![=>]))|${assigns})`,
      `(?<=<${key})>`,
    ];
    return new RegExp(`${before}(?<key>${key})(?:${separators.join('|')})[ \\t]*${value}`, 'dgm');
  }

  /** A container's environment variable: `name: key` and `value: 1` are neighbours, in either order. */
  function memberPatterns(key) {
    const name = `(?<![\\w.$@/-])(?<nameQuote>${quote}?)(?<name>name)\\k<nameQuote>${assigns}(?<keyQuote>${quote}?)(?<key>${key})\\k<keyQuote>`;
    const member = `(?<![\\w.$@/-])(?<memberQuote>${quote}?)(?<member>value)\\k<memberQuote>${assigns}${value}`;
    return [
      new RegExp(`${name}${gap}${member}`, 'dg'),
      new RegExp(`${member}${gap}${name}(?![\\w.$/-])`, 'dg'),
    ];
  }

  /** Finds the values of a key in a text of any format, in order. Comments are left out. */
  function findValues(text, key) {
    const comments = findComments(text);
    const escaped = key.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    const found = new Map();
    for (const pattern of [pairPattern(escaped), ...memberPatterns(escaped)])
      for (const match of text.matchAll(pattern)) {
        const { key: at, name, member } = match.indices?.groups ?? {};
        if (at === undefined || found.has(at[0])) continue;
        if (comments.some(({ start, end }) => start <= at[0] && at[0] < end)) continue;
        if (name !== undefined && member !== undefined && !areSiblings(text, name[0], member[0])) continue;
        found.set(at[0], toValue(text, match));
      }
    return [...found.values()].sort((a, b) => a.start - b.start);
  }

  /** Counted from 1. */
  function lineOf(text, { start }) {
    return text.slice(0, start).split('\n').length;
  }

  function toValue(text, match) {
    const { quoted, bare } = match.indices?.groups ?? {};
    const [start, end] = quoted ?? bare ?? [0, 0];
    return { start, end, text: text.slice(start, end), isQuoted: quoted !== undefined };
  }

  /** In YAML, members of one object in different lines have the same column. JSON has quotes, and other formats have `=`. */
  function areSiblings(text, name, member) {
    if (!/^name[ \t]*:/.test(text.slice(name, name + 100))) return true;
    const lineStart = (at) => text.lastIndexOf('\n', at) + 1;
    return lineStart(name) === lineStart(member) || name - lineStart(name) === member - lineStart(member);
  }

  /**
   * Sets all values of the key to a number that is greater than each of them, and not less than the Unix time. Nothing but the
   * values changes: quotes, comments, layout and line endings stay.
   */
  function stampText(text, { key, now }) {
    const { values, problems } = findVersions(text, key);
    if (problems.length > 0) return refused(text, problems);
    const { highest, next } = nextVersion(values, now);
    const stamped = replaceValues(text, values, String(next));
    return {
      ...{ text: stamped, changed: true, found: values.length, problems },
      summary: `${key} ${highest} -> ${next}${places(values.length)}`,
    };
  }

  /** Finds values that are whole numbers, or empty strings. */
  function findVersions(text, key) {
    const all = findValues(text, key);
    // An alias takes the value of its anchor.
    const values = all.filter((each) => !isAlias(each));
    if (all.length === 0) return { values, problems: [notFound(key, '0')] };
    const problems = (values.length > 0 ? values : all).flatMap((each) => {
      if (/^\d+$/.test(each.text) || (each.isQuoted && each.text === '')) return [];
      return [{ line: lineOf(text, each), message: `the value of ${key} ${versionProblem(each)}` }];
    });
    return { values, problems };
  }

  /** Does not show the value, which could be anything. */
  function versionProblem(value) {
    if (isTemplate(value)) return templateProblem;
    if (isAlias(value)) return 'is a YAML alias: stamp needs the number, at the anchor, under the same key';
    if (value.text === '') return 'is empty: set it to 0, and run the command again';
    return 'is not a whole number: set it to 0 or a greater number without sign, and run the command again';
  }

  const templateProblem = 'is a template expression: stamp the file that has the value, such as values.yaml';

  function isTemplate({ text }) {
    return /^(?:\{\{|\$[{(]|<%)/.test(text);
  }

  function isAlias({ text, isQuoted }) {
    return !isQuoted && text.startsWith('*');
  }

  function notFound(key, initial) {
    return {
      message: `key ${key} not found: add the key with the value ${initial}, or set another key with --key`,
    };
  }

  /** Numbers have any size. An empty value counts as 0. */
  function nextVersion(values, now) {
    const highest = values.reduce((max, { text }) => (BigInt(text) > max ? BigInt(text) : max), 0n);
    const seconds = BigInt(Math.floor(now));
    return { highest, next: highest + 1n > seconds ? highest + 1n : seconds };
  }

  function replaceValues(text, values, by) {
    let result = '';
    let end = 0;
    for (const value of values) {
      result += text.slice(end, value.start) + by;
      end = value.end;
    }
    return result + text.slice(end);
  }

  function refused(text, problems) {
    return { text, changed: false, found: 0, summary: '', problems };
  }

  function places(count) {
    return count === 1 ? '' : ` (${count} places)`;
  }

  const help = `Usage: node configMapVersion.js [--key NAME] FILE...

Sets the key configMapVersion in text files of any format to a number that only increases: one more than the old number, or the
Unix time in seconds if that is greater. Comments, layout, quotes and line endings stay. A rolling update follows when the key is
in the pod template of a workload: as an environment variable, a label or an annotation.

FILE is a path; - reads standard input and writes standard output. When a file has no such key, no file is changed.

  --key NAME  key to set; defaults to configMapVersion
  -h, --help  print this text

Examples
  node bin/configMapVersion.js deployment.yaml && kubectl apply -f configmap.yaml -f deployment.yaml
  node bin/configMapVersion.js - < deployment.yaml | kubectl apply -f -
`;

  const usage = readUsage(process.argv.slice(2));
  if ('problem' in usage) {
    process.stderr.write(`error: ${usage.problem}\n\n${help}`);
    process.exitCode = 2;
  } else if (usage.help) {
    process.stdout.write(help);
  } else {
    const { files, key } = usage;
    const now = Date.now() / 1000;
    const { exitCode, stdout, stderr } = await stampFiles({
      ...{ files, mode: 'write', stamp: (text) => stampText(text, { key, now }) },
    });
    process.stdout.write(stdout);
    process.stderr.write(stderr);
    process.exitCode = exitCode;
  }

  function readUsage(args) {
    try {
      const { values, positionals } = parseArgs({
        args,
        allowPositionals: true,
        options: { key: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
      });
      const { key = 'configMapVersion', help: asked = false } = values;
      if (key === '') return { problem: '--key must not be empty' };
      if (positionals.length === 0 && !asked) return { problem: 'at least one FILE is required' };
      return { files: positionals, key, help: asked };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }
}

main().catch((error) => {
  process.stderr.write(`error: ${error.message}\n`);
  process.exitCode = 1;
});
