import { helpText } from './help.ts'
import type { Environment } from './options.ts'
import { readChoice, readFlags, refuseMoreWords, UsageError } from './options.ts'

const shells = ['bash', 'zsh', 'fish'] as const

/** Arguments and options of a command, as listed in its help. */
export interface CompletedCommand {
  name: string
  actions: string[]
  options: string[]
}

/** Extracts arguments and options of a command from its help. */
export function completedCommand(name: string): CompletedCommand {
  const text = helpText(name)
  const actions = [...text.matchAll(new RegExp(`^terrane ${name} \\[?([a-z][a-z-]+)\\b`, 'gm'))]
  const options = [...text.matchAll(/(?<![\w-])--[a-z][a-z-]*/g)]
  return {
    name,
    actions: [...new Set(actions.map(([, action = '']) => action))],
    options: [...new Set([...options.map(([option]) => option), '--help'])].sort(),
  }
}

/** `terrane completion bash|zsh|fish`: prints the completion script of a shell. */
export async function runCompletion(
  args: string[],
  _env: Environment,
  names: readonly string[],
): Promise<number> {
  const { positionals } = readFlags('completion', args, {})
  const [shell, ...words] = positionals
  if (shell === undefined) throw new UsageError(`\`terrane completion\` needs a shell: ${shells.join(', ')}`)
  refuseMoreWords('completion', words, 0)
  const commands = names.map(completedCommand)
  const script = { bash, zsh, fish }[readChoice('The shell', shell, shells)](commands)
  process.stdout.write(script)
  return 0
}

function bash(commands: CompletedCommand[]): string {
  const cases = commands.map(
    ({ name, actions, options }) =>
      `    ${name}) actions="${actions.join(' ')}"; options="${options.join(' ')}" ;;`,
  )
  return `# Completion of terrane in bash: source <(terrane completion bash)
_terrane() {
  local word="\${COMP_WORDS[COMP_CWORD]}" actions="" options=""
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')} help --version --help" -- "$word"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$word")); return ;;
${cases.join('\n')}
  esac
  if [[ "$word" == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [ "$COMP_CWORD" -eq 2 ] && [ -n "$actions" ]; then
    COMPREPLY=($(compgen -W "$actions" -- "$word"))
  fi
}
complete -o default -F _terrane terrane terrane.mjs
`
}

/** zsh runs the bash function by `bashcompinit`. */
function zsh(commands: CompletedCommand[]): string {
  return `# Completion of terrane in zsh: source <(terrane completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bash(commands)}`
}

function fish(commands: CompletedCommand[]): string {
  const lines = commands.flatMap(({ name, actions, options }) => {
    const seen = `__fish_seen_subcommand_from ${name}`
    return [
      `complete -c terrane -n __fish_use_subcommand -a ${name}`,
      ...(actions.length === 0 ? [] : [`complete -c terrane -n "${seen}" -a "${actions.join(' ')}"`]),
      ...options.map((option) => `complete -c terrane -n "${seen}" -l ${option.slice(2)}`),
    ]
  })
  return `# Completion of terrane in fish: terrane completion fish | source
${lines.join('\n')}
`
}
