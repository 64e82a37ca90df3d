import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import path from 'node:path';
import { parseSync } from 'oxc-parser';

const root = path.dirname(import.meta.dirname);

interface Parts {
  /** Names that the script imports, by module of Node.js. */
  builtIn: Map<string, Set<string>>;
  /** The code of each file, a file after all files that it imports. */
  code: Map<string, string>;
  names: Set<string>;
}

/**
 * Returns a program and all files that it imports as one JavaScript file, which needs neither a package nor a package.json. It has
 * no static imports: Node.js before version 22 would refuse them in a file without `"type": "module"`.
 */
export function loneScript(entry: string, output: string): string {
  const parts: Parts = { builtIn: new Map(), code: new Map(), names: new Set() };
  collect(entry, parts);
  const imports = [...parts.builtIn].map(
    ([name, imported]) => `const { ${[...imported].sort().join(', ')} } = await import('${name}');`,
  );
  return formatted(
    `#!/usr/bin/env node
// Needs Node.js 18 or later, and no package.
// Generated from ${entry} by \`npm run generate\`: change the source.

async function main() {
${imports.join('\n')}

${[...parts.code.values()].join('\n\n')}
}

main().catch((error) => {
  process.stderr.write(\`error: \${error.message}\\n\`);
  process.exitCode = 1;
});
`,
    output,
  );
}

function collect(file: string, parts: Parts): void {
  if (parts.code.has(file)) return;
  const source = readFileSync(path.join(root, file), 'utf8');
  const { module, program, comments, errors } = parseSync(file, source);
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`);
  const cuts: { start: number; end: number }[] = [];
  for (const { start, end, moduleRequest, entries } of module.staticImports) {
    cuts.push({ start, end });
    const values = entries.filter(({ isType }) => !isType);
    if (values.length > 0) collectImport(file, moduleRequest.value, values, parts);
  }
  for (const statement of program.body) {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement;
    // The comment of a type has nothing to say without the type.
    if (declared?.type.startsWith('TS')) {
      const about = comments.find(
        ({ end }) => end < statement.start && !source.slice(end, statement.start).trim(),
      );
      if (about !== undefined) cuts.push(about);
    } else if (statement.type.startsWith('Export')) {
      if (declared === null || declared === statement) throw new Error(`${file}: export declarations only`);
      cuts.push({ start: statement.start, end: declared.start });
    }
    for (const name of namesOf(declared)) {
      if (parts.names.has(name)) throw new Error(`${file}: another file of the script declares ${name}, too`);
      parts.names.add(name);
    }
  }
  parts.code.set(file, without(withoutTypes(source), cuts).trim());
}

function collectImport(
  file: string,
  from: string,
  imported: readonly { importName: { name?: string | null }; localName: { value: string } }[],
  parts: Parts,
): void {
  if (from.startsWith('.')) {
    collect(path.posix.join(path.posix.dirname(file), from), parts);
    return;
  }
  if (!from.startsWith('node:')) throw new Error(`${file}: the script may not import ${from}`);
  const names = parts.builtIn.get(from) ?? new Set();
  for (const { importName, localName } of imported)
    names.add(importName.name == null ? `default: ${localName.value}` : localName.value);
  parts.builtIn.set(from, names);
}

/** The names that a statement at the top of a file declares. */
function namesOf(statement: object | null): string[] {
  const { type, id, declarations } = statement as {
    type: string;
    id?: { name?: string };
    declarations?: { id: { name?: string } }[];
  };
  if (type === 'FunctionDeclaration') return [id?.name ?? ''];
  return (declarations ?? []).flatMap((each) => each.id.name ?? []);
}

/** Node.js warns that the function is experimental. Its version is pinned, and the check compares the result. */
function withoutTypes(source: string): string {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return stripTypeScriptTypes(source);
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** Types were replaced by spaces, so positions are those of the source. */
function without(code: string, cuts: readonly { start: number; end: number }[]): string {
  let result = code;
  for (const { start, end } of cuts)
    result = result.slice(0, start) + ' '.repeat(end - start) + result.slice(end);
  return result;
}

function formatted(code: string, file: string): string {
  const biome = path.join(root, 'node_modules/@biomejs/biome/bin/biome');
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [biome, 'format', `--stdin-file-path=${file}`],
    {
      cwd: root,
      input: code,
      encoding: 'utf8',
    },
  );
  if (status !== 0) throw new Error(`biome cannot format ${file}: ${stderr}`);
  return stdout;
}
