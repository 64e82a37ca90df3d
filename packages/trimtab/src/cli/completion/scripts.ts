/** Completion scripts of the shells. Each calls `trimtab __complete`, whose answer `printCompletion` describes. */
export const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

export type Shell = (typeof shells)[number];

export function completionScript(shell: Shell): string {
  return scripts[shell];
}

/**
 * Bash splits words at `=` and `:` as well. The script joins them again, and offers only what follows the last of these
 * characters, because bash replaces only that part.
 */
const bash = `# bash completion for trimtab
__trimtab_complete() {
  local -a words=() args=()
  local line=\${COMP_LINE:0:COMP_POINT} count=0 word gap index output directive candidate
  COMPREPLY=()
  for ((index = 0; index <= COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    gap=\${line%%[![:space:]]*}
    line=\${line#"$gap"}
    # The cursor may be within the last word.
    if [[ $index -eq $COMP_CWORD ]]; then word=$line; fi
    line=\${line#"$word"}
    if [[ $index -eq 0 || -n $gap ]]; then
      words[count]=$word
      count=$((count + 1))
    else
      words[count - 1]+=$word
    fi
  done
  if [[ $word == [=:] ]]; then word=; fi
  local kept=$word typed=\${word//[\\"\\'\\\\]/}
  for word in "\${words[@]:1}"; do args+=("\${word//[\\"\\'\\\\]/}"); done
  local current=\${args[count - 2]}
  local prefix=\${current%"$typed"}
  output=$("\${words[0]/#\\~/$HOME}" __complete "\${args[@]}" 2>/dev/null) || return
  directive=\${output##*:}
  while IFS=$'\\t' read -r candidate _; do
    if [[ -z $candidate ]]; then continue; fi
    candidate=\${candidate#"$prefix"}
    if [[ $kept != [\\"\\']* ]]; then printf -v candidate '%q' "$candidate"; fi
    COMPREPLY+=("$candidate")
  done <<<"\${output%:*}"
  if ((directive & 2)); then compopt -o nospace 2>/dev/null; fi
  if ((directive & 4)); then return; fi
  local kind=-f
  if ((directive & 16)); then kind=-d; fi
  compopt -o filenames 2>/dev/null
  while IFS= read -r candidate; do COMPREPLY+=("$candidate"); done < <(compgen "$kind" -- "$typed")
}
complete -F __trimtab_complete trimtab
`;

const zsh = `#compdef trimtab
# zsh completion for trimtab
_trimtab() {
  local output directive line tab=$'\\t' name
  local -a lines completions
  output=$("\${(Q)words[1]}" __complete "\${(@Q)words[2,CURRENT]}" 2>/dev/null) || return 1
  lines=("\${(@f)output}")
  directive=\${lines[-1]#:}
  for line in "\${(@)lines[1,-2]}"; do
    name=\${line%%$tab*}
    [[ -z $name ]] && continue
    if [[ $line == *$tab* ]]; then
      completions+=("\${name//:/\\\\:}:\${line#*$tab}")
    else
      completions+=("\${name//:/\\\\:}")
    fi
  done
  if (( directive & 16 )); then _path_files -/; return; fi
  if (( \${#completions} == 0 )); then
    (( directive & 4 )) || _files
    return
  fi
  if (( directive & 2 )); then _describe -V 'trimtab' completions -S ''; else _describe -V 'trimtab' completions; fi
}
if [[ \${funcstack[1]} == _trimtab ]]; then _trimtab "$@"; else compdef _trimtab trimtab; fi
`;

const fish = `# fish completion for trimtab
function __trimtab_complete
    set -l words (commandline -opc)
    set -l current (commandline -ct)
    set -l program $words[1]
    set -e words[1]
    set -l answer ($program __complete $words "$current" 2>/dev/null)
    or return
    if test "$answer[-1]" = ':0'; or test "$answer[-1]" = ':16'
        __fish_complete_path "$current"
    end
    set -e answer[-1]
    printf '%s\\n' $answer
end
complete -c trimtab -e
complete -c trimtab -f -a '(__trimtab_complete)'
`;

const powershell = `# PowerShell completion for trimtab
Register-ArgumentCompleter -Native -CommandName trimtab -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    $words = @($commandAst.CommandElements | Where-Object { $_.Extent.EndOffset -le $cursorPosition } | ForEach-Object { "$_".Trim('"', "'") })
    if ($wordToComplete -eq '' -or $words.Count -lt 2) { $words += '' }
    $arguments = @($words | Select-Object -Skip 1)
    # Windows PowerShell drops empty arguments, so the empty word is sent with quotes.
    if ($PSVersionTable.PSVersion -lt [version]'7.3') { $arguments = @($arguments | ForEach-Object { if ($_ -eq '') { '""' } else { $_ } }) }
    $lines = @(& $words[0] __complete @arguments 2>$null)
    $lines | Select-Object -SkipLast 1 | Where-Object { $_ } | ForEach-Object {
        $name, $help = $_ -split "\`t", 2
        if (-not $help) { $help = $name }
        $text = if ($name -match '[\\s''"]') { "'" + $name.Replace("'", "''") + "'" } else { $name }
        [System.Management.Automation.CompletionResult]::new($text, $name, 'ParameterValue', $help)
    }
}
`;

const scripts: Readonly<Record<Shell, string>> = { bash, zsh, fish, powershell };
